// Requests whose length two readers could interpret differently are refused with their connection, and never mixed up with the next request.
import { sendRaw } from '../support/rawRequests.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aReport, json } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const session = () => json(aReport()).toString();
const storedSessions = () => service.database.prisma.session.count();
/** The attacker's hidden request: if the service read it as a request, it would be stored. */
const hidden = (): string => request(session());

function request(
  body: string,
  lengths = `Content-Length: ${Buffer.byteLength(body)}\r\n`,
  path = '/api/v1/session',
): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${service.application.key.public}\r\n${lengths}\r\n${body}`;
}

const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';
const empty = '0\r\n\r\n';

test.each<[string, () => string]>([
  ['Content-Length and Transfer-Encoding', () => request(empty + hidden(), `Content-Length: 5\r\n${chunked}`)],
  ['Transfer-Encoding and Content-Length', () => request(empty + hidden(), `${chunked}Content-Length: 5\r\n`)],
  ['two lengths', () => request(session() + hidden(), `Content-Length: 2\r\nContent-Length: ${session().length}\r\n`)],
  ['one length twice', () => request('{}', 'Content-Length: 2\r\nContent-Length: 2\r\n')],
  ['a list of lengths', () => request('{}', 'Content-Length: 2, 2\r\n')],
  ['a negative length', () => request('{}', 'Content-Length: -2\r\n')],
  ['a length with a sign', () => request('{}', 'Content-Length: +2\r\n')],
  ['a hexadecimal length', () => request('{}', 'Content-Length: 0x2\r\n')],
  ['an empty length', () => request('{}', 'Content-Length: \r\n')],
  ['a length beyond all numbers', () => request('{}', 'Content-Length: 99999999999999999999999\r\n')],
  ['a space before the colon', () => request('{}', 'Content-Length : 2\r\n')],
  ['a folded header', () => request(empty + hidden(), 'Transfer-Encoding:\r\n chunked\r\n')],
  ['a header that begins with a space', () => request('{}', ' Content-Length: 2\r\n')],
  ['an unknown coding at the end', () => request(empty + hidden(), 'Transfer-Encoding: chunked, identity\r\n')],
  ['chunked twice', () => request(empty + hidden(), 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n')],
  ['chunked in other letters', () => request(empty + hidden(), 'Transfer-Encoding: xchunked\r\n')],
  ['a chunk size that is no number', () => request(`zz\r\n{}\r\n${empty}`, chunked)],
  ['a negative chunk size', () => request(`-2\r\n{}\r\n${empty}`, chunked)],
  ['a chunk size with 0x', () => request(`0x2\r\n{}\r\n${empty}`, chunked)],
  ['a chunk size beyond all numbers', () => request(`fffffffffffffffff\r\n{}\r\n${empty}`, chunked)],
  ['a chunk that is longer than it says', () => request(`2\r\n{}{}\r\n${empty}`, chunked)],
  ['a chunk size that ends in a bare LF', () => request(`2\n{}\r\n${empty}`, chunked)],
  ['a chunk that ends in a bare LF', () => request(`2\r\n{}\n${empty}`, chunked)],
  ['headers that end in bare LF', () => request('{}').replaceAll('\r\n', '\n')],
  ['one header that ends in a bare LF', () => request('{}', 'Content-Length: 2\n')],
  ['a length behind the chunks', () => request(`0\r\nContent-Length: 3\r\n\r\n`, chunked)],
  ['a bare CR in a header', () => request('{}', 'X-Any: a\rContent-Length: 2\r\n')],
  ['a NUL in a header', () => request('{}', 'X-Any: a\0b\r\nContent-Length: 2\r\n')],
])('%s: refused, and nothing after it is read', async (_, bytes) => {
  const before = await storedSessions();
  const { answers, closed } = await sendRaw(service.url, bytes() + hidden());
  expect(answers.map(({ status }) => status)).toEqual([400]);
  expect(closed).toBe(true);
  expect(await storedSessions()).toBe(before);
});

test('a space before the method makes it none that is known: refused, and nothing after it is read', async () => {
  const before = await storedSessions();
  const { answers, closed } = await sendRaw(service.url, ` ${request('{}')}${hidden()}`);
  expect([answers.map(({ status }) => status), closed]).toEqual([[404], true]);
  expect(await storedSessions()).toBe(before);
});

test('a request without a host is refused, and its connection ends', async () => {
  const { answers, closed } = await sendRaw(service.url, request('{}').replace('Host: x\r\n', ''));
  expect([answers.map(({ status }) => status), closed]).toEqual([[400], true]);
});

test('a body that nobody reads is not taken for the next request', async () => {
  const before = await storedSessions();
  const unread = request(hidden(), undefined, '/nowhere') + request(session());
  const { answers } = await sendRaw(service.url, unread);
  expect(answers.map(({ status }) => status)).toEqual([404, 200]);
  expect(await storedSessions()).toBe(before + 1);
  const admin = request(hidden(), undefined, '/admin/graphql/') + request(session());
  expect((await sendRaw(service.url, admin)).answers.map(({ status }) => status)).toEqual([415, 200]);
  expect(await storedSessions()).toBe(before + 2);
});

test('chunks, extensions and trailers included, end where they say', async () => {
  const before = await storedSessions();
  const text = session();
  const pieces = chunk(text.slice(0, 10)) + chunk(text.slice(10)).replace('\r\n', ';name=value\r\n');
  const one = request(`${pieces}0\r\nX-Api-Key: pub_nobody\r\n\r\n`, chunked);
  const { answers } = await sendRaw(service.url, one, request(session()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await storedSessions()).toBe(before + 2);
});

test('a transfer coding beside the chunks is refused, and its chunks end where they say', async () => {
  const before = await storedSessions();
  const coded = request(chunk(session()) + empty, 'Transfer-Encoding: gzip, Chunked\r\n');
  const plain = request(chunk(session()) + empty, 'Transfer-Encoding: Chunked\r\n');
  const { answers } = await sendRaw(service.url, coded + plain);
  expect(answers.map(({ status }) => status)).toEqual([415, 200]);
  expect(await storedSessions()).toBe(before + 1);
});

test('answers come in the order of the requests', async () => {
  const before = await storedSessions();
  const { answers } = await sendRaw(service.url, request(session()) + request('{}') + request(session()));
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 200]);
  expect(await storedSessions()).toBe(before + 2);
});

test.each([
  ['a broken request', () => 'NONSENSE\r\n\r\n', [200]],
  ['a method that nobody knows', () => request('{}').replace('POST', 'FOO'), [200]],
  // No drain knows the connection any more, so it is closed at once.
  ['CONNECT', () => 'CONNECT b:1 HTTP/1.1\r\nHost: x\r\n\r\n', []],
])(
  '%s gets no response in the place of an upload before it, and nothing after it is read',
  async (_, bytes, statuses) => {
    const before = await storedSessions();
    const { answers, closed } = await sendRaw(service.url, request(session()) + bytes() + hidden());
    expect([answers.map(({ status }) => status), closed]).toEqual([statuses, true]);
    // Uploads are stored in order of arrival: the one before, where it is stored at all, has been by now.
    expect((await sendRaw(service.url, request(session()))).answers.map(({ status }) => status)).toEqual([200]);
    expect([before + 1, before + 2]).toContain(await storedSessions());
  },
);

test('a method that nobody knows has no route, and nothing after it is read', async () => {
  const before = await storedSessions();
  const { answers, closed } = await sendRaw(service.url, request('{}').replace('POST', 'FOO') + hidden());
  expect([answers.map(({ status }) => status), closed]).toEqual([[404], true]);
  expect(await storedSessions()).toBe(before);
});

test('a body that breaks after its request was answered gets no second answer', async () => {
  const { answers, closed } = await sendRaw(service.url, request('', chunked, '/nowhere'), `zz\r\n${hidden()}`);
  expect(answers.map(({ status }) => status)).toEqual([404]);
  expect(closed).toBe(true);
});
