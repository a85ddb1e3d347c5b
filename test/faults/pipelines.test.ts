// Random pipelined requests, cut anywhere: each gets one response in its turn, and none ends the process.
import type { RequestListener } from 'node:http';
import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { listen, type Listener } from '../../src/platform/httpServer/httpServer.ts';
import { sendRaw } from '../support/rawRequests.ts';
import { isLong } from './support/form.ts';
import { randomOf } from './support/seed.ts';

interface Exchange {
  request: string;
  answer: { status: number; body: string };
  /** The request line must arrive in one packet. Otherwise the parser's 400 remains (brokenRequests.ts). */
  inOnePacket?: boolean;
}

function exchange(line: string, { header = '', body = '' } = {}): Exchange {
  return { request: `${line} HTTP/1.1\r\nHost: x\r\n${header}\r\n${body}`, answer: { status: 200, body: line } };
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
/** Requests after these get no response. */
const closing = [
  exchange('GET /late', { header: 'Connection: close\r\n' }),
  exchange('CONNECT b:1'),
  { ...exchange('UNHEARD-OF /at-once'), answer: { status: 200, body: 'UNKNOWN /at-once' }, inOnePacket: true },
  { request: 'NONSENSE\r\n\r\n', answer: { status: 400, body: '' } },
] as const;

const handle: RequestListener = (request, response) => {
  const answer = () => response.end(`${request.method} ${request.url}`);
  if (request.url === '/late') setTimeout(answer, 2);
  else if (request.url === '/read') request.resume().on('end', answer);
  else answer();
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
function piecesOf(pipeline: readonly Exchange[]): string[] {
  const [last, rest] = [pipeline.at(-1)!, bytesOf(aPipeline())];
  if (!last.inOnePacket) return inPieces(bytesOf(pipeline) + rest);
  return [...inPieces(bytesOf(pipeline.slice(0, -1))), last.request, ...inPieces(rest)];
}

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

test('pipelines are answered in order up to the request that closes, whatever breaks off beside them', async () => {
  for (let sent = 0; sent < count; sent += 10) {
    const exchanges = Array.from({ length: 10 }, async () => {
      const pipeline = aPipeline();
      const pieces = piecesOf(pipeline);
      const [{ answers, closed }] = await Promise.all([sendRaw(listener.url, ...pieces), breakOff(listener.url)]);
      const seen = answers.map(({ status, body }) => ({ status, body }));
      expect({ pieces, closed, seen }).toEqual({ pieces, closed: true, seen: pipeline.map(({ answer }) => answer) });
    });
    await Promise.all(exchanges);
  }
});
