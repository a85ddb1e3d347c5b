// COPY … FROM STDIN over pg's own connection: the driver knows the protocol's messages and lacks the call.
import type pg from 'pg';
import type { PgConnection, PgStatement } from './pipeline.ts';
import type { SqlConnection } from './sqlClient.ts';

/**
 * `data` holds rows in the format that `text` announces. Rejects with the server's error; then nothing is stored. All
 * is sent at once: the server skips the data of a COPY that it has refused.
 */
export function copyFrom(client: SqlConnection, text: string, data: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy: PgStatement = {
      text,
      // The driver puts its time limit around this one.
      callback: (error) => (error ? reject(error) : resolve()),
      submit(connection: PgConnection) {
        connection.stream.cork();
        connection.parse({ name: '', text });
        connection.bind({ statement: '' });
        connection.execute({});
        connection.sendCopyFromChunk(typeof data === 'string' ? Buffer.from(data) : data);
        connection.endCopyFrom();
        connection.sync();
        connection.stream.uncork();
      },
      handleCopyInResponse: () => undefined,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => copy.callback(null),
      handleError: (error) => copy.callback(error),
    };
    // The driver accepts every object with `submit`; its types accept only objects that submit to their own connection.
    void client.query(copy as unknown as pg.QueryConfig);
  });
}
