// PostgreSQL's NOTIFY, heard on a connection of its own that is watched and opened again whenever it is lost.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../observability/log.ts';

export interface Subscription {
  /** Whether every notification up to `boundMillis` ago has been handed over for certain. */
  live(): boolean;
  stop(): Promise<void>;
}

export interface SubscriptionOptions {
  /** Of the pool whose database is meant. */
  connection: pg.ClientConfig;
  channel: string;
  onNotification(payload: string): void;
  /** Called at every new connection: what was notified before it is lost. */
  onListening(): void;
  log: Log;
}

const boundMillis = 1_000;
/** A few fit into the bound, so that one slow answer costs nothing. */
const heartbeatMillis = 250;
const reconnectMillis = 250;

/** A network that has gone silent shows only when something is asked, so the connection is asked all the time. */
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
  /** When the last question was asked that the connection has answered: PostgreSQL sends what was notified before first. */
  aliveAt: number;
  /** Once for each outage, not at each attempt. */
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
  // The query under way, or the next one, rejects with it.
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
