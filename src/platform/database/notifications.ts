// Listens to PostgreSQL's NOTIFY on its own connection, which is watched and opened again when it is lost.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observability/log.ts';

export interface Subscription {
  /** Whether every notification older than `boundMillis` has certainly been delivered. */
  live(): boolean;
  stop(): Promise<void>;
}

export interface SubscriptionOptions {
  /** The connection options of the pool. */
  connection: pg.ClientConfig;
  channel: string;
  onNotification(payload: string): void;
  /** Called at every new connection: earlier notifications are lost. */
  onListening(): void;
  log: Log;
}

const boundMillis = 1_000;
/** Several queries fit into the bound, so one slow response does no harm. */
const heartbeatMillis = 250;
const reconnectMillis = 250;

/** Only a query detects a silent network, so a query is sent again and again. */
export function subscribe(options: SubscriptionOptions): Subscription {
  const stopping = new AbortController();
  const state: State = { aliveAt: -Infinity, outageReported: false };
  const running = listenUntilStopped(options, state, stopping.signal);
  return {
    live: () => performance.now() - state.aliveAt <= boundMillis,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

interface State {
  /** When the last query with a response was sent: PostgreSQL sends earlier notifications before the response. */
  aliveAt: number;
  /** Logged once for each outage, not at each attempt. */
  outageReported: boolean;
}

async function listenUntilStopped(options: SubscriptionOptions, state: State, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    await listen(options, state, stop).catch((error: unknown) => {
      if (!state.outageReported)
        options.log.warn({ err: error, channel: options.channel }, 'notifications are not heard');
      state.outageReported = true;
    });
    state.aliveAt = -Infinity;
    await pause(reconnectMillis, stop);
  }
}

async function listen(
  { connection, channel, onNotification, onListening }: SubscriptionOptions,
  state: State,
  stop: AbortSignal,
): Promise<void> {
  const client = new pg.Client(connection);
  // The running query, or the next one, rejects with this error.
  client.on('error', () => undefined);
  client.on('notification', ({ payload }) => onNotification(payload ?? ''));
  try {
    await client.connect();
    await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
    onListening();
    while (!stop.aborted) {
      const askedAt = performance.now();
      await client.query('/* notifications: heartbeat */ SELECT 1');
      state.aliveAt = askedAt;
      state.outageReported = false;
      await pause(heartbeatMillis, stop);
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

function pause(millis: number, stop: AbortSignal): Promise<void> {
  return delay(millis, undefined, { signal: stop }).catch(() => undefined);
}
