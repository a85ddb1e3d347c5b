// COPY … FROM STDIN over pg's own connection: the driver knows the protocol's messages and lacks the call.
import type { ClientBase } from 'pg';

/** What pg's types leave out. The server passes over the data of a COPY that it has refused, so all is sent at once. */
interface CopyConnection {
  stream: { cork(): void; uncork(): void };
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** `data` is rows as `text` announces them. Rejects with the server's error; then nothing is stored. */
export function copyFrom(client: ClientBase, text: string, data: string | Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const copy = {
      // The driver puts its time limit around this one.
      callback: (error: Error | null) => (error ? reject(error) : resolve()),
      submit(connection: CopyConnection) {
        connection.stream.cork();
        connection.query(text);
        connection.sendCopyFromChunk(Buffer.from(data as string));
        connection.endCopyFrom();
        connection.stream.uncork();
      },
      handleCopyInResponse: () => undefined,
      handleCommandComplete: () => undefined,
      handleReadyForQuery: () => copy.callback(null),
      handleError: (error: Error) => copy.callback(error),
    };
    void client.query(copy as unknown as Parameters<ClientBase['query']>[0]);
  });
}

/** What the text format writes otherwise than it is. */
const special = /[\\\n\r\t]/;
const escapes: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text as a value of a line. */
export function copyText(value: string): string {
  return special.test(value) ? value.replaceAll(/[\\\n\r\t]/g, (character) => escapes[character]!) : value;
}
