// Bodies of 8 kB on the wire that held the event loop for seconds, or were 500: openapi.yaml, "Limits".
import { gzipSync } from 'node:zlib';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const size = 8 * 1024 * 1024 - 1_000;
const filled = (unit: string) => unit.repeat(Math.floor(size / unit.length)).replace(/,$/, '');
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

const tooMany = (parts: string) => ({
  status: 422,
  fields: [{ path: '', message: `has more than ${parts} opening braces, opening brackets and commas` }],
});

test.each(['{},', '[],', '1,', '{"a":1},', '[[[[[[[[[[]]]]]]]]]],', '"",'])(
  '8 MiB of %s are refused before they are parsed',
  async (unit) => {
    const rest = `,"custom":{"a":[${filled(unit)}]}`;
    expect(await send('reportAttribution', report(rest))).toEqual(tooMany('50,000'));
    expect(await send('reportStoreTransactions', transactions(rest))).toEqual(tooMany('50,000'));
    expect(await send('reportSessions', `{"z":[${filled(unit)}]}`)).toEqual(tooMany('1,200,000'));
  },
);

test.each([
  ['25,100', Array.from({ length: 25_100 }, (_, id) => `{"id":"${id}"}`).join()],
  ['8 MiB of equal', filled('{"id":"1"},')],
  ['8 MiB of empty', filled('{},')],
])('%s transactions are too many transactions, whatever else is wrong', async (_, items) => {
  const tooManyTransactions = { status: 413, unit: 'transactions', limit: 500 };
  expect(await send('reportStoreTransactions', `{"device":{"id":"d"},"transactions":[${items}]}`)).toEqual(
    tooManyTransactions,
  );
  expect(await send('reportStoreTransactions', `{"transactions":[${items}],"device":{}}`)).toEqual(tooManyTransactions);
});

test('8 MiB of empty sessions or events are too many of them', async () => {
  const head = '{"user":{},"device":{"id":"d"},"sessions":';
  const sessions = `${head}[${filled('{},')}]}`;
  expect(await send('reportSessions', sessions)).toEqual({ status: 413, unit: 'sessions', limit: 500 });
  const events = `${head}[{"id":"s","events":[${filled('{},')}]}]}`;
  expect(await send('reportSessions', events)).toEqual({ status: 413, unit: 'events', limit: 5_000 });
});

test('8 MiB of white space around a report are read', async () => {
  expect(await send('reportAttribution', report('').padEnd(size))).toMatchObject({ status: 200 });
  expect(await send('reportAttribution', `${' '.repeat(size)}${report('')}`)).toMatchObject({ status: 200 });
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

test('a number of eight million digits is refused like every number beyond a double', async () => {
  const digits = '1'.repeat(8_000_000);
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
