// Sends false lengths on a bare socket: the service must never read the rest of such a request as another request, and never fail.
import { connect } from 'node:net';
import fc from 'fast-check';
import { startTestService, type TestService } from '../../../support/testService.ts';
import { aReport, json } from '../../../support/uploads.ts';
import { figures, timeoutMillis } from '../figures.ts';
import { find } from '../hold.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

interface Lie {
  headers: string[];
  body: Buffer;
  /** The status of the first response; empty if the service need not respond. */
  statuses: number[];
}

const body = json(aReport());
const chunked = (bytes: Buffer, size = bytes.length.toString(16)) =>
  Buffer.concat([Buffer.from(`${size}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]);
const hidden = Buffer.from('GET /api/v1/campaigns HTTP/1.1\r\nHost: x\r\n\r\n');

// The service may refuse the excess bytes before the response is ready.
const shortened = [422, 400];
const conflicting: string[][] = [
  ['Transfer-Encoding: chunked', `Content-Length: ${body.length}`],
  [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
  [`Content-Length: ${body.length}`, `Content-Length: ${body.length + 1}`],
  ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
  ['Transfer-Encoding: xchunked'],
  ['Transfer-Encoding : chunked'],
  ['Transfer-Encoding: \x0bchunked'],
];

const lies: fc.Arbitrary<Lie> = fc.oneof(
  fc.nat(body.length - 1).map((length) => ({ headers: [`Content-Length: ${length}`], body, statuses: shortened })),
  fc.nat(5_000).map((more) => ({ headers: [`Content-Length: ${body.length + 1 + more}`], body, statuses: [] })),
  fc.constantFrom('-1', '1e3', '0x10', '', 'x', '+5', '5,5', '9'.repeat(40), '1 1').map((length) => ({
    headers: [`Content-Length: ${length}`],
    body,
    statuses: [400, 413],
  })),
  fc
    .constantFrom('2097153', '99999999999')
    .map((length) => ({ headers: [`Content-Length: ${length}`], body, statuses: [413] })),
  fc
    .constantFrom(...conflicting)
    .map((headers) => ({ headers, body: Buffer.concat([chunked(body), hidden]), statuses: [400, 501] })),
  fc.constantFrom('g', '-1', '0x5', 'fffffffffffffffff', '1;a=\n', ' 5').map((size) => ({
    headers: ['Transfer-Encoding: chunked'],
    body: chunked(body, size),
    statuses: [],
  })),
  fc.constant<Lie>({ headers: ['Transfer-Encoding: chunked'], body: chunked(body), statuses: [200] }),
);

/** All statuses that arrive on one connection, until no more are expected. */
function answersTo({ headers, body, statuses }: Lie): Promise<number[]> {
  const { hostname, port } = new URL(service.url);
  const lines = [
    'POST /api/v1/session HTTP/1.1',
    'Host: x',
    `X-Api-Key: ${service.application.key.public}`,
    ...headers,
  ];
  const socket = connect(Number(port), hostname);
  socket.write(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), body]));
  const endIn = (millis: number) => setTimeout(() => socket.end(), millis);
  // A server that waits for the rest of a request need not respond. A required response gets the time that a busy
  // machine needs.
  const timers = [endIn(statuses.length === 0 ? 100 : 20_000)];
  return new Promise((resolve) => {
    const received: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => {
      received.push(chunk);
      timers.push(endIn(20));
    });
    // A reset also ends the exchange: the server need not read the rest of a request that it has refused.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      timers.forEach(clearTimeout);
      const text = Buffer.concat(received).toString('latin1');
      resolve([...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)));
    });
  });
}

test(
  'no length hides a request in another one, and none is a failure',
  async () => {
    const judge = async (lie: Lie) => {
      const [first, ...others] = await answersTo(lie);
      const told = JSON.stringify({ first, others, headers: lie.headers });
      if (lie.statuses.length === 0 ? first !== undefined && first !== 400 : !lie.statuses.includes(first!))
        throw new Error(told);
      // The excess bytes are not a request.
      if (others.some((status) => status !== 400)) throw new Error(`more than one request was read: ${told}`);
    };
    const found = await find({ cases: lies, runs: figures.lengths, judge });
    expect(found?.why ?? 'nothing').toBe('nothing');
  },
  timeoutMillis,
);
