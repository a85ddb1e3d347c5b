// Sends bytes straight to a port, for requests that no HTTP client would send, and collects the responses until the connection closes.
import { createConnection } from 'node:net';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

export interface RawResponse {
  status: number;
  head: string;
  body: string;
}

/** A test expects nothing more half a second after the last byte. */
const quietMillis = 500;

/**
 * Sends the pieces one after the other, each in its own turn of the event loop, so that a server in this process reads
 * them separately.
 */
export function sendRaw(
  url: string,
  ...pieces: (string | Buffer)[]
): Promise<{ results: RawResponse[]; closed: boolean }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let received = '';
    let quiet: NodeJS.Timeout;
    const socket = createConnection(Number(port), hostname, () => void write());
    const write = async (): Promise<void> => {
      for (const piece of pieces) {
        if (socket.writable) socket.write(piece);
        await nextTurn();
      }
    };
    const finish = (closed: boolean): void => {
      clearTimeout(quiet);
      socket.destroy();
      resolve({ results: readResponses(received), closed });
    };
    // Where this process was busy for so long, the timer comes before what has arrived meanwhile.
    const finishIfQuiet = async (): Promise<void> => {
      const { length } = received;
      for (let turn = 0; turn < 25; turn++) await pause(2);
      if (received.length === length) finish(false);
    };
    const wait = (millis: number): void => {
      clearTimeout(quiet);
      quiet = setTimeout(() => void finishIfQuiet(), millis);
    };
    wait(20 * quietMillis);
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      wait(quietMillis);
    });
    socket.on('error', () => finish(true));
    socket.on('close', () => finish(true));
  });
}

/** Splits the received bytes by Content-Length, as a client does. */
function readResponses(text: string): RawResponse[] {
  const responses: RawResponse[] = [];
  for (let rest = text; rest !== '';) {
    const end = rest.indexOf('\r\n\r\n');
    const head = rest.slice(0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
    if (end < 0 || Number.isNaN(status)) throw new Error(`no response: ${rest}`);
    const chunks = /\r\ntransfer-encoding: chunked/i.test(head) ? /^0\r\n\r\n/.exec(rest.slice(end + 4)) : null;
    const length = chunks?.[0].length ?? Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
    responses.push({ status, head, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return responses;
}
