// Looks up the names of receivers, which customers type, apart from every other name that the process looks up.
import { Resolver } from 'node:dns/promises';
import { createLimiter } from '../platform/turns.ts';
import { withinTime } from '../platform/withinTime.ts';

export interface HostAddress {
  address: string;
  family: number;
}

export interface LookUp {
  /** Look-ups that wait take turns by it. */
  organizationId: string;
  signal: AbortSignal;
}

/** Rejects when the name has no address, with a `TimeoutError` when no name server responds in time, or with the reason of `signal`. */
export type ResolveHost = (host: string, lookUp: LookUp) => Promise<HostAddress[]>;

export interface LookUpBounds {
  /** Look-ups at once. Each has a socket. */
  atOnce: number;
  ofOneOrganization: number;
  /** Of one look-up, and of the wait for a turn before it. */
  timeLimitMillis: number;
  /** `address:port`. Undefined: those of the machine. */
  nameServers?: string[];
}

const usual: LookUpBounds = { atOnce: 128, ofOneOrganization: 32, timeLimitMillis: 4_000 };

/** Two attempts, so that a second name server gets its turn within the time limit. */
const attempts = { timeout: 1_500, tries: 2 };

/**
 * `dns.lookup` runs in the few threads in which the process also looks up the database and the mail server: twenty names
 * whose name servers never responded kept the database away for ten minutes. A `Resolver` asks over sockets of its own.
 */
export function createHostResolver(given: Partial<LookUpBounds> = {}): ResolveHost {
  const { atOnce, ofOneOrganization, timeLimitMillis, nameServers } = { ...usual, ...given };
  const inTurn = createLimiter({
    ...{ atOnce, ofOneLane: ofOneOrganization, longestQueue: 1_000, patienceMillis: timeLimitMillis },
    refusal: () => new DOMException('Too many look-ups are under way.', 'TimeoutError'),
  });
  return async (host, { organizationId, signal }) =>
    isThisMachine(host)
      ? thisMachine
      : inTurn(
          () => withinTime(signal, timeLimitMillis, (limit) => ask(host, { signal: limit, nameServers })),
          organizationId,
        );
}

/** No name server knows it (RFC 6761). */
function isThisMachine(host: string): boolean {
  return /(^|\.)localhost\.?$/i.test(host);
}
const thisMachine: HostAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

async function ask(
  host: string,
  { signal, nameServers }: { signal: AbortSignal; nameServers: string[] | undefined },
): Promise<HostAddress[]> {
  const resolver = new Resolver(attempts);
  if (nameServers) resolver.setServers(nameServers);
  const cancel = (): void => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    signal.throwIfAborted();
    if (four.status === 'rejected' && six.status === 'rejected') throw noAddress(four.reason as NodeJS.ErrnoException);
    return [...found(four, 4), ...found(six, 6)];
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

function found(looked: PromiseSettledResult<string[]>, family: number): HostAddress[] {
  return looked.status === 'fulfilled' ? looked.value.map((address) => ({ address, family })) : [];
}

function noAddress(error: NodeJS.ErrnoException): Error {
  return error.code === 'ETIMEOUT'
    ? Object.assign(new Error('No name server responded in time.', { cause: error }), { name: 'TimeoutError' })
    : error;
}
