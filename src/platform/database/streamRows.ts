// Reads a result of any size row by row, while the server waits for whoever takes the rows.
import type { Socket } from 'node:net';
import pg, { type ClientBase, type QueryConfig } from 'pg';

export interface Lines {
  /** Gets about this many characters at once, whole rows. */
  pieceCharacters: number;
  /** No further row is read before it resolves. */
  take(piece: string): Promise<void>;
}

/**
 * Each row is one text column; a piece is such rows, each with LF behind it. Resolves to the number of rows. Rejects
 * with the server's error or the error of `take`; after the latter the caller must not use the connection again.
 */
export function streamLines(client: ClientBase, { text, values }: QueryConfig, lines: Lines): Promise<number> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query<[string]>({ text, values, rowMode: 'array' } as QueryConfig);
    const stream = socketOf(client);
    let [count, piece] = [0, ''];
    let taken: Promise<void> = Promise.resolve();
    const give = (): void => {
      const whole = piece;
      piece = '';
      stream.pause();
      taken = taken.then(() => lines.take(whole)).then(() => void stream.resume());
      taken.catch((error: Error) => stream.destroy(error));
    };
    query.on('row', ([line]) => {
      count += 1;
      piece += line + '\n';
      if (piece.length >= lines.pieceCharacters) give();
    });
    query.on('error', (error) => void taken.then(() => reject(error), reject));
    query.on('end', () => {
      if (piece !== '') give();
      taken.then(() => resolve(count), reject);
    });
    client.query(query);
  });
}

// The socket of a connection to PostgreSQL, which the types of the driver hide.

export const socketOf = (client: ClientBase): Pick<Socket, 'on' | 'off' | 'pause' | 'resume' | 'destroy'> =>
  (client as unknown as { connection: { stream: Socket } }).connection.stream;
