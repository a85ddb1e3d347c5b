// Requests of little size that cost much work, and requests that two readers could read differently.
import { constants, gzipSync } from 'node:zlib';
import { sendRaw } from '../support/rawRequests.ts';
import { storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, anEvent, aReport, aSession, json } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// POST /api/v1/session: small requests that cause much work, and state that grows without end; attacks on the service found each of them.
describe('reportSessions: hostile', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  /** Compressed so little that it never inflates to more times its bytes than it may. */
  function send(body: Buffer | string) {
    const headers = { 'X-Api-Key': service.application.key.public, 'Content-Encoding': 'gzip' };
    return service.client.send('reportSessions', headers, gzipSync(body, { strategy: constants.Z_HUFFMAN_ONLY }));
  }
  const fieldsOf = (response: { body: unknown }) =>
    (response.body as { fields: { path: string; message: string }[] }).fields;

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
      const response = await send(body);
      expect(response.status).toBe(422);
      const fields = fieldsOf(response);
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
});

// Bodies of a few kilobytes on the wire that held the event loop for seconds, or were 500: openapi.yaml, "Limits".
describe('costlyBodies', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

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
});

// Requests whose length two readers could interpret differently are refused with their connection, and never mixed up with the next request.
describe('smuggling', () => {
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
    [
      'two lengths',
      () => request(session() + hidden(), `Content-Length: 2\r\nContent-Length: ${session().length}\r\n`),
    ],
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
    const { results: responses, closed } = await sendRaw(service.url, bytes() + hidden());
    expect(responses.map(({ status }) => status)).toEqual([400]);
    expect(closed).toBe(true);
    expect(await storedSessions()).toBe(before);
  });

  test('a space before the method makes it none that is known: refused, and nothing after it is read', async () => {
    const before = await storedSessions();
    const { results: responses, closed } = await sendRaw(service.url, ` ${request('{}')}${hidden()}`);
    expect([responses.map(({ status }) => status), closed]).toEqual([[404], true]);
    expect(await storedSessions()).toBe(before);
  });

  test('a request without a host is refused, and its connection ends', async () => {
    const { results: responses, closed } = await sendRaw(service.url, request('{}').replace('Host: x\r\n', ''));
    expect([responses.map(({ status }) => status), closed]).toEqual([[400], true]);
  });

  test('a body that nobody reads is not taken for the next request', async () => {
    const before = await storedSessions();
    const unread = request(hidden(), undefined, '/nowhere') + request(session());
    const { results: responses } = await sendRaw(service.url, unread);
    expect(responses.map(({ status }) => status)).toEqual([404, 200]);
    expect(await storedSessions()).toBe(before + 1);
    const admin = request(hidden(), undefined, '/admin/graphql/') + request(session());
    expect((await sendRaw(service.url, admin)).results.map(({ status }) => status)).toEqual([415, 200]);
    expect(await storedSessions()).toBe(before + 2);
  });

  test('chunks, extensions and trailers included, end where they say', async () => {
    const before = await storedSessions();
    const text = session();
    const pieces = chunk(text.slice(0, 10)) + chunk(text.slice(10)).replace('\r\n', ';name=value\r\n');
    const one = request(`${pieces}0\r\nX-Api-Key: pub_nobody\r\n\r\n`, chunked);
    const { results: responses } = await sendRaw(service.url, one, request(session()));
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await storedSessions()).toBe(before + 2);
  });

  test('a transfer coding beside the chunks is refused, and its chunks end where they say', async () => {
    const before = await storedSessions();
    const coded = request(chunk(session()) + empty, 'Transfer-Encoding: gzip, Chunked\r\n');
    const plain = request(chunk(session()) + empty, 'Transfer-Encoding: Chunked\r\n');
    const { results: responses } = await sendRaw(service.url, coded + plain);
    expect(responses.map(({ status }) => status)).toEqual([415, 200]);
    expect(await storedSessions()).toBe(before + 1);
  });

  test('responses come in the order of the requests', async () => {
    const before = await storedSessions();
    const { results: responses } = await sendRaw(service.url, request(session()) + request('{}') + request(session()));
    expect(responses.map(({ status }) => status)).toEqual([200, 422, 200]);
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
      const { results: responses, closed } = await sendRaw(service.url, request(session()) + bytes() + hidden());
      expect([responses.map(({ status }) => status), closed]).toEqual([statuses, true]);
      // Uploads are stored in order of arrival: the one before, where it is stored at all, has been by now.
      expect((await sendRaw(service.url, request(session()))).results.map(({ status }) => status)).toEqual([200]);
      expect([before + 1, before + 2]).toContain(await storedSessions());
    },
  );

  test('a method that nobody knows has no route, and nothing after it is read', async () => {
    const before = await storedSessions();
    const { results: responses, closed } = await sendRaw(service.url, request('{}').replace('POST', 'FOO') + hidden());
    expect([responses.map(({ status }) => status), closed]).toEqual([[404], true]);
    expect(await storedSessions()).toBe(before);
  });

  test('a body that breaks after its request got a response gets no second response', async () => {
    const { results: responses, closed } = await sendRaw(
      service.url,
      request('', chunked, '/nowhere'),
      `zz\r\n${hidden()}`,
    );
    expect(responses.map(({ status }) => status)).toEqual([404]);
    expect(closed).toBe(true);
  });
});
