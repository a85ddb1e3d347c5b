// Bodies of a few kilobytes on the wire that held the event loop for seconds, or were 500: openapi.yaml, "Limits".
import { gzipSync } from 'node:zlib';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** So much may be inflated at any ratio. */
const size = 512 * 1024 - 1_000;
const filled = (unit: string, length = size) => unit.repeat(Math.floor(length / unit.length)).replace(/,$/, '');
const report = (rest: string) =>
  `{"device":{"id":"d"},"system":{"os_version":"1"},"attribution":{"provider_a":{"x":1}}${rest}}`;
const transactions = (rest: string) => `{"device":{"id":"d"},"transactions":[{"id":"1"}]${rest}}`;

type Kind = 'reportSessions' | 'reportAttribution' | 'reportStoreTransactions';

async function send(kind: Kind, text: string) {
  const headers = { 'X-Api-Key': service.application.key.public, 'Content-Encoding': 'gzip' };
  const { status, body } = await service.client.send(kind, headers, gzipSync(text));
  const { fields, unit, limit } = body as {
    fields?: { path: string; message: string }[];
    unit?: string;
    limit?: number;
  };
  return status === 413 ? { status, unit, limit } : { status, fields };
}

const tooManyValues = (limit: number) => ({ status: 413, unit: 'values', limit });
const tooMuchInflation = { status: 413, unit: 'inflation', limit: 200 };

describe.each(['{},', '[],', '1,', '{"a":1},', '[[[[[[[[[[]]]]]]]]]],', '"",'])('%s, again and again', (unit) => {
  const unread = (length?: number) => `"custom":{"a":[${filled(unit, length)}]}`;

  test('as 8 MiB is refused while it is inflated', async () => {
    const body = `,${unread(8_000_000)}`;
    expect(await send('reportAttribution', report(body))).toEqual(tooMuchInflation);
    expect(await send('reportStoreTransactions', transactions(body))).toEqual(tooMuchInflation);
    expect(await send('reportSessions', `{${unread(8_000_000)}}`)).toEqual(tooMuchInflation);
  });

  test('is refused before it is parsed', async () => {
    expect(await send('reportAttribution', report(`,${unread()}`))).toEqual(tooManyValues(50_000));
    expect(await send('reportStoreTransactions', transactions(`,${unread()}`))).toEqual(tooManyValues(50_000));
    expect(await send('reportSessions', `{${unread()}}`)).toEqual(tooManyValues(100_000));
  });
});

test('one name again and again, and names of all kinds, are too many values too', async () => {
  const names = Array.from({ length: 50_000 }, (_, index) => `"${index}":1`).join();
  for (const members of [filled('"":1,', 255_000), names]) {
    expect(await send('reportAttribution', report(`,"custom":{${members}}`))).toEqual(tooManyValues(50_000));
    expect(await send('reportSessions', `{"unread":{${members},${members}}}`)).toEqual(tooManyValues(100_000));
  }
});

test('30,000 transactions are halved by values, and 20,000 by transactions, whatever else is wrong', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, id) => `{"id":"${id}"}`).join();
  expect(await send('reportStoreTransactions', transactions('').replace('{"id":"1"}', many(30_000)))).toEqual(
    tooManyValues(50_000),
  );
  expect(await send('reportStoreTransactions', `{"transactions":[${many(20_000)}],"device":{}}`)).toEqual({
    status: 413,
    unit: 'transactions',
    limit: 500,
  });
});

test('40,000 empty sessions or events are too many of them', async () => {
  const head = '{"user":{},"device":{"id":"d"},"sessions":';
  const many = filled('{},', 120_000);
  expect(await send('reportSessions', `${head}[${many}]}`)).toEqual({ status: 413, unit: 'sessions', limit: 500 });
  const events = `${head}[{"id":"s","events":[${many}]}]}`;
  expect(await send('reportSessions', events)).toEqual({ status: 413, unit: 'events', limit: 5_000 });
});

test('white space around a report is read up to 512 KiB, and beyond as far as it inflates to 200 times its bytes', async () => {
  expect(await send('reportAttribution', report('').padEnd(size))).toMatchObject({ status: 200 });
  expect(await send('reportAttribution', `${' '.repeat(size)}${report('')}`)).toMatchObject({ status: 200 });
  expect(await send('reportAttribution', report('').padEnd(8_000_000))).toEqual(tooMuchInflation);
});

test.each(['true', '["a"]', '[0]', '""', '[{"custom":{}}]'])(
  'a long body that is no object is refused: %s',
  async (body) => {
    const refused = { status: 422, fields: [{ path: '', message: 'must be a JSON object' }] };
    // The limit of a payload, beyond which payloads are looked for.
    const long = body.padEnd(65_537);
    for (const operation of ['reportAttribution', 'reportStoreTransactions', 'reportSessions'] as const)
      expect(await send(operation, long)).toMatchObject(refused);
  },
);

test('a number of 500,000 digits is refused like every number beyond a double', async () => {
  const digits = '1'.repeat(500_000);
  const long = report('').replace('{"x":1}', `{"x":${digits}}`);
  expect(await send('reportAttribution', long)).toMatchObject({
    status: 422,
    fields: [{ path: 'attribution.provider_a' }],
  });
  const version = `{"user":{},"device":{"id":"d"},"sessions":[{"number":{"global":${digits},"version":1}}]}`;
  expect(await send('reportSessions', version)).toMatchObject({ status: 422 });
  expect(await send('reportAttribution', report(`,"z":${digits}`))).toMatchObject({ status: 200 });
});

test('a usual compressed report does not wait for the long ones before it', async () => {
  let ended = 0;
  const long = Array.from({ length: 6 }, () =>
    send('reportAttribution', report('').padEnd(size)).then(() => void (ended += 1)),
  );
  expect(await send('reportAttribution', report(''))).toMatchObject({ status: 200 });
  expect(ended).toBeLessThan(3);
  await Promise.all(long);
});
