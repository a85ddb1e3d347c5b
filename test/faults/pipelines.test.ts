// Random pipelined requests, cut anywhere: responses come in order, none is taken for another's, and none ends the process.
import type { RequestListener } from 'node:http';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { sendRaw } from '../support/rawRequests.ts';
import { isLong } from './support/form.ts';
import { randomOf } from './support/seed.ts';

interface Exchange {
  request: string;
  result: { status: number; body: string };
  /** Node's parser does not read it: where an earlier request has no response yet, the connection closes (httpServer.ts). */
  isUnreadable?: boolean;
}

function exchange(line: string, { header = '', body = '' } = {}): Exchange {
  return { request: `${line} HTTP/1.1\r\nHost: x\r\n${header}\r\n${body}`, result: { status: 200, body: line } };
}

const withBody = { header: 'Content-Length: 3\r\n', body: 'abc' };
const inChunks = { header: 'Transfer-Encoding: chunked\r\n', body: '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n' };
const kept = [
  exchange('GET /at-once'),
  exchange('GET /at-once', { header: 'Expect: anything\r\n' }),
  exchange('GET /late'),
  exchange('POST /at-once', withBody),
  exchange('POST /late', inChunks),
  exchange('POST /read', withBody),
  exchange('POST /read', inChunks),
] as const;
const notFound = { status: 404, body: '{"detail":"Not Found"}' };
/** Requests after these get no response. */
const closing: readonly [Exchange, ...Exchange[]] = [
  exchange('GET /late', { header: 'Connection: close\r\n' }),
  { request: 'CONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\n', result: notFound, isUnreadable: true },
  { request: 'UNHEARD-OF /at-once HTTP/1.1\r\nHost: x\r\n\r\n', result: notFound, isUnreadable: true },
  { request: 'NONSENSE\r\n\r\n', result: notFound, isUnreadable: true },
  { request: 'GET /at-once HTTP/1.1\r\nno header\r\n\r\n', result: { status: 400, body: '' }, isUnreadable: true },
];

const handle: RequestListener = (request, response) => {
  const result = () => response.end(`${request.method} ${request.url}`);
  if (request.url === '/late') setTimeout(result, 2);
  else if (request.url === '/read') request.resume().on('end', result);
  else result();
};

const random = randomOf('pipelines');
const count = isLong ? 5_000 : 500;

function aPipeline(): Exchange[] {
  return [...Array.from({ length: random.between(0, 5) }, () => random.pick(kept)), random.pick(closing)];
}

function inPieces(text: string): string[] {
  const cuts = Array.from({ length: random.between(0, 3) }, () => random.between(0, text.length)).sort((a, b) => a - b);
  return [0, ...cuts].map((from, index) => text.slice(from, cuts[index])).filter((piece) => piece !== '');
}

const bytesOf = (pipeline: readonly Exchange[]): string => pipeline.map(({ request }) => request).join('');

/** The pieces of a pipeline, and of a second one after it that the server must not read. */
const piecesOf = (pipeline: readonly Exchange[]): string[] => inPieces(bytesOf(pipeline) + bytesOf(aPipeline()));

/** Sends a part of a pipeline and closes the connection, with or without a reset. */
async function breakOff(url: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = createConnection(Number(port), hostname).on('error', () => undefined);
  for (const piece of inPieces(bytesOf(aPipeline()).slice(0, random.between(1, 400)))) {
    socket.write(piece);
    await pause(random.between(0, 2));
  }
  if (random.chance(0.5)) socket.resetAndDestroy();
  else socket.destroy();
}

let listener: Listener;
beforeAll(async () => {
  listener = await listen(handle, { port: 0, host: '127.0.0.1' });
});
afterAll(() => listener.drain(0));

test('pipelines get their responses in order up to the request that closes, whatever breaks off beside them', async () => {
  for (let sent = 0; sent < count; sent += 10) {
    const exchanges = Array.from({ length: 10 }, async () => {
      const pipeline = aPipeline();
      const pieces = piecesOf(pipeline);
      const [{ results: responses, closed }] = await Promise.all([
        sendRaw(listener.url, ...pieces),
        breakOff(listener.url),
      ]);
      const seen = responses.map(({ status, body }) => ({ status, body }));
      const expected = pipeline.map(({ result: outcome }) => outcome);
      const isWhole = !pipeline.at(-1)!.isUnreadable || pipeline.length === 1;
      // The client sends again what has no response. It must not take a response for that of another request.
      const due = isWhole ? expected : expected.slice(0, seen.length);
      expect({ pieces, closed, seen }).toEqual({ pieces, closed: true, seen: due });
    });
    await Promise.all(exchanges);
  }
});
