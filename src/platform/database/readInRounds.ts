// Reads a long response of PostgreSQL in many rounds of the event loop, so that uploads come between two pieces of it.
import type { PoolClient } from 'pg';
import { socketOf } from './socketOf.ts';

/** What one read of a socket brings, and a few hundred rows. Shorter pieces do not hold the loop. */
const longPiece = 16 * 1_024;

/**
 * libuv reads a socket 32 times in a round, 64 KiB each, and the driver parses at once what has come: rows of 2 MiB held the
 * loop for 50 to 100 ms. Returns what ends it.
 */
export function readInRounds(client: PoolClient): () => void {
  const stream = socketOf(client);
  const onData = (piece: Buffer): void => {
    if (piece.length < longPiece) return;
    stream.pause();
    setImmediate(() => stream.resume());
  };
  stream.on('data', onData);
  return () => void stream.off('data', onData);
}
