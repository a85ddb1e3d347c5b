// A share of the pool: its users together hold only some of the connections, and organizations take turns for them.
import type { Pool, PoolClient } from 'pg';
import { createLimiter } from '../turns.ts';

export interface PoolShare {
  connections: number;
  /** How long a request waits for a connection of the share. After it, or behind a long queue, the pool counts as exhausted. */
  patienceMillis: number;
}

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: () => void) => void;

const longestQueue = 500;
/** Begins with the pool's own message, which `classifyDatabaseError` knows. */
const exhausted = (): Error => new Error('timeout exceeded when trying to connect: the share of the pool is in use');

/**
 * For hand-written SQL and Prisma alike: everything that a pool does begins with `connect`. Work that holds a connection
 * of the share must not wait for a second one: all of them could wait for each other.
 */
export function poolShare(pool: Pool, { connections, patienceMillis }: PoolShare): Pool {
  // Slow statements of one organization leave a connection to the others.
  const ofOneLane = Math.max(1, connections - 1);
  const inTurn = createLimiter({ atOnce: connections, ofOneLane, longestQueue, patienceMillis, refusal: exhausted });
  const take = (): Promise<PoolClient> =>
    new Promise((resolve, reject) => {
      inTurn(async () => {
        const client = await pool.connect();
        const released = release(client);
        resolve(client);
        await released;
      }).catch(reject);
    });
  const connect = (connected?: Connected): Promise<PoolClient> | void => {
    if (!connected) return take();
    take().then(
      (client) => connected(undefined, client, () => client.release()),
      (error: Error) => connected(error, undefined, () => undefined),
    );
  };
  return new Proxy(pool, {
    get: (target, name, view) => (name === 'connect' ? connect : (Reflect.get(target, name, view) as unknown)),
  });
}

/** Resolves when the client is given back. The pool gives a client another `release` each time it hands it out. */
function release(client: PoolClient): Promise<void> {
  const giveBack = client.release;
  return new Promise((resolve) => {
    client.release = (error) => {
      giveBack(error);
      resolve();
    };
  });
}
