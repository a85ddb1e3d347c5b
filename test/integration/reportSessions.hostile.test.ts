// POST /api/v1/session: small requests that cause much work, and state that grows without end; attacks on the service found each of them.
import { constants, gzipSync } from 'node:zlib';
import { storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, anEvent, aReport, aSession, json } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** Compressed so little that it never inflates to more times its bytes than it may. */
function send(body: Buffer | string) {
  const headers = { 'X-Api-Key': service.application.key.public, 'Content-Encoding': 'gzip' };
  return service.client.send('reportSessions', headers, gzipSync(body, { strategy: constants.Z_HUFFMAN_ONLY }));
}
const fieldsOf = (answer: { body: unknown }) => (answer.body as { fields: { path: string; message: string }[] }).fields;

// Without the service's bounds, each of the first three takes hours. So the test's own timeout is the assertion.
describe('a body that makes faults long or many is refused with at most 100 short paths', () => {
  const longKey = 'k '.repeat(1_000_000);
  test.each<[string, string]>([
    ['duplicates below an endless key', `{"${longKey}":{"a":1${',"a":1'.repeat(90_000)}}}`],
    [
      'NULs below an endless key',
      `{"user":{},"device":{},"sessions":[],"custom":{"${longKey}":["a"${',"\\u0000"'.repeat(90_000)}]}}`,
    ],
    ['an endless key where a string belongs', `{"user":{"id":{"${longKey}":["a"${',"\\u0000"'.repeat(90_000)}]}}}`],
    [
      'NULs in known places',
      JSON.stringify(aReport({ sessions: [aSession({ events: Array(5_000).fill(nulEvent()) })] })),
    ],
  ])('%s', async (_, body) => {
    const answer = await send(body);
    expect(answer.status).toBe(422);
    const fields = fieldsOf(answer);
    expect(fields.length).toBeLessThanOrEqual(100);
    for (const { path } of fields) expect(path.length).toBeLessThanOrEqual(1_024);
  });
});

function nulEvent() {
  return anEvent({ name: 'a\0b', params: [{ name: 'p', value: '\0' }] });
}

test('a bad value is listed once, and nothing below it', async () => {
  const report = aReport({ sessions: [aSession({ events: [anEvent({ name: `\0${'a'.repeat(300)}` })] })] });
  Object.assign(report.user, { id: { a: '\0' } });
  const paths = fieldsOf(await send(json(report))).map(({ path }) => path);
  expect(paths.sort()).toEqual(['sessions[0].events[0].name', 'user.id']);
});

test('values full of quotes and backslashes are stored as they are', async () => {
  const value = 'x"\\'.repeat(2_700);
  const params = Array.from({ length: 200 }, (_, i) => ({ name: `p${i}`, value }));
  const report = aReport({ sessions: [aSession({ events: [anEvent({ params }), anEvent({ params })] })] });
  expect((await send(json(report))).status).toBe(200);
  const event = await service.database.prisma.event.findFirst({ where: { name: 'LevelCompleted' } });
  expect(event!.params).toMatchObject({ p0: value, p199: value });
});

/** Each character takes six characters in JSON. */
const sixfold = (length: number): string => '\u0001'.repeat(length);

test('deltas cannot grow the stored properties without end; the upload is refused alone and a whole set heals it', async () => {
  const device = aDevice();
  const many = (length: number, kind: string) =>
    Array.from({ length }, (_, i) => ({ name: `${kind}-${i}`, value: sixfold(8_000) }));
  const delta = (length: number, kind: string) =>
    json(aReport({ device, user: { lastSyncTS: 1, properties: many(length, kind) } }));
  expect((await send(delta(60, 'first'))).status).toBe(200);
  const [tooMuch, ...others] = await Promise.all([
    // Short enough to wait beside the others: a longer upload gets 503 unless it comes alone.
    send(delta(30, 'more')),
    ...Array.from({ length: 20 }, () => send(json(aReport()))),
  ]);
  expect(tooMuch).toMatchObject({ status: 422, body: { fields: [{ path: 'user.properties' }] } });
  expect(others.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await send(json(aReport({ device, user: { properties: many(30, 'more') } })))).status).toBe(200);
});

test('a whole set beyond the limit is refused, so that no later upload is refused for what it does not send', async () => {
  const device = aDevice();
  const set = (count: number) => Array.from({ length: count }, (_, i) => ({ name: `n${i}`, value: sixfold(8_000) }));
  const tooMuch = await send(json(aReport({ device, user: { properties: set(88) } })));
  expect(tooMuch).toMatchObject({ status: 422, body: { fields: [{ path: 'user.properties' }] } });
  expect((await send(json(aReport({ device, user: { properties: set(87) } })))).status).toBe(200);
  expect((await send(json(aReport({ device, user: {} })))).status).toBe(200);
});

test.each([
  ['as a whole set', undefined],
  ['by a delta', 1],
])('%s, the stored properties may reach the limit to the character', async (_, lastSyncTS) => {
  // The length as PostgreSQL writes it: with a space after each colon and comma.
  const lengthOf = (properties: { name: string; value: string }[]) =>
    JSON.stringify(Object.fromEntries(properties.map(({ name, value }) => [name, value]))).length +
    2 * properties.length -
    1;
  const many = Array.from({ length: 87 }, (_, i) => ({ name: `n${i}`, value: sixfold(8_030) }));
  const last = (value: string) => ({ name: 'last', value });
  const room = 4_194_304 - lengthOf([...many, last('')]);
  const device = aDevice();
  const status = async (length: number) => {
    const properties = lastSyncTS ? [last('v'.repeat(length))] : [...many, last('v'.repeat(length))];
    return (await send(json(aReport({ device, user: { lastSyncTS, properties } })))).status;
  };
  if (lastSyncTS) await send(json(aReport({ device, user: { properties: many } })));
  expect([await status(room + 1), await status(room)]).toEqual([422, 200]);
});

test('instants that an offset carries out of the years 1 to 9999 are kept at the bound', async () => {
  const sessions = [
    aSession({ startDate: '0001-01-01T00:00:00+23:59', finishDate: '9999-12-31T23:59:59.9999999999-23:59' }),
  ];
  expect((await send(json(aReport({ sessions })))).status).toBe(200);
  const stored = await service.database.prisma.session.findFirst({ where: { id: sessions[0]!.id } });
  expect(stored!.startedAt.toISOString()).toBe('0001-01-01T00:00:00.000Z');
  expect(stored!.finishedAt!.toISOString()).toBe('9999-12-31T23:59:59.999Z');
});

test('a long integer inside a large body is kept, in property values and nowhere else', async () => {
  const report = aReport({ user: { properties: [{ name: 'big', value: 0 }] } });
  const text = JSON.stringify({ ...report, ignored: Array(45_000).fill({}) }).replace(
    '"value":0',
    '"value":-9223372036854775808',
  );
  expect((await send(text.replace('"ignored":[', '"ignored":[9007199254740993,'))).status).toBe(200);
  const { rows } = await service.database.pool.query<{ text: string }>(
    'SELECT user_properties::text AS text FROM devices WHERE id = $1',
    [report.device.id],
  );
  expect(rows[0]!.text).toBe('{"big": -9223372036854775808}');
});

// A session's first events are copied, later ones inserted: a text is written in two ways.
test('a name full of tabs, line ends and backslashes is stored as it is, and so again in its session', async () => {
  const name = '\\N\t\\.\r\n{"a",}\\x41\\\\';
  const session = aSession({ events: [anEvent({ name, params: [{ name, value: name }] })] });
  const report = aReport({ sessions: [session] });
  expect((await send(json(report))).status).toBe(200);
  session.events!.push(anEvent({ name, params: [{ name, value: name }] }));
  expect((await send(json(report))).status).toBe(200);
  const { events } = await storedRows(service, report);
  expect(events.map((event) => [event.name, event.params])).toEqual(Array(2).fill([name, { [name]: name }]));
});
