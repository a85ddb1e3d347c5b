// POST /api/v1/session: each 422, with exactly the paths of the wrong fields.
import { randomUUID } from 'node:crypto';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { pathsOf, sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { anEvent, aReport, aSession, json } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

function send(body: unknown, headers?: Record<string, string>) {
  return sendReport(service, body, headers);
}

describe('422', () => {
  async function faults(change: (report: ReturnType<typeof aReport>) => unknown): Promise<string[]> {
    const report = aReport();
    const changed = change(report);
    const answer = await send(changed === undefined ? report : changed);
    expect(answer).toMatchObject({ status: 422, body: { error: 'validation_failed', status: 422 } });
    return pathsOf(answer);
  }
  const text = (report: unknown, from: string, to: string) => Buffer.from(JSON.stringify(report).replace(from, to));

  test('five distinct faults are exactly five paths', async () => {
    const found = await faults((report) => {
      delete (report.device.properties as Partial<typeof report.device.properties>).platform;
      report.sessions[0]!.number.global = -1;
      report.sessions[0]!.events!.push(anEvent({ name: ' \u00a0\u0085' }), anEvent({ date: '2026-02-30T00:00:00Z' }));
      Object.assign(report.sessions[0]!.events![0]!.params[0]!, { value: null });
    });
    expect(found).toEqual([
      'device.properties.platform',
      'sessions[0].events[0].params[0].value',
      'sessions[0].events[1].name',
      'sessions[0].events[2].date',
      'sessions[0].number.global',
    ]);
  });

  test.each<[string, Buffer]>([
    ['empty', Buffer.from('')],
    ['broken', Buffer.from('{"user":')],
    ['with NaN', Buffer.from('{"user":NaN}')],
    ['not an object', Buffer.from('[]')],
    ['null', Buffer.from('null')],
    ['a string', Buffer.from('"{}"')],
    ['not UTF-8', Buffer.concat([Buffer.from('{"user":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')])],
    ['after a byte order mark', Buffer.from('\ufeff{}')],
    ['too deep', Buffer.from('{"a":'.repeat(33) + '1' + '}'.repeat(33))],
    ['far too deep', Buffer.from('['.repeat(1_000_000))],
  ])('a body that is %s has one field with path ""', async (_, body) => {
    expect(pathsOf(await send(body))).toEqual(['']);
  });

  test('a body that cannot be inflated has one field with path ""', async () => {
    expect(pathsOf(await send(gzipSync(json(aReport())).subarray(0, 40), { 'Content-Encoding': 'gzip' }))).toEqual([
      '',
    ]);
    const gzip = (following: string) => Buffer.concat([gzipSync(json(aReport())), Buffer.from(following)]);
    for (const following of ['x', '\0x', `${'\0'.repeat(512)}x`])
      expect(pathsOf(await send(gzip(following), { 'Content-Encoding': 'gzip' }))).toEqual(['']);
    const zlib = (following: string) => Buffer.concat([deflateSync(json(aReport())), Buffer.from(following)]);
    const raw = deflateRawSync(json(aReport()));
    const cut = [zlib('').subarray(0, 40), raw.subarray(0, 40)];
    for (const bytes of [...cut, zlib(' '), zlib('\0'), Buffer.concat([raw, Buffer.from(' ')])])
      expect(pathsOf(await send(bytes, { 'Content-Encoding': 'deflate' }))).toEqual(['']);
  });

  test('several gzip members are one body, and zeros behind the last one are none of it', async () => {
    const report = json(aReport());
    const [one, other] = [report.subarray(0, 9), report.subarray(9)];
    for (const padding of [0, 512]) {
      const bytes = Buffer.concat([gzipSync(one), gzipSync(other), Buffer.alloc(padding)]);
      expect((await send(bytes, { 'Content-Encoding': 'gzip' })).status).toBe(200);
    }
  });

  test('a missing field is named by its own path', async () => {
    expect(pathsOf(await send({}))).toEqual(['device', 'sessions', 'user']);
    expect(await faults((report) => void Object.assign(report, { sessions: [] }))).toEqual(['sessions']);
    expect(await faults((report) => void Object.assign(report, { sessions: [{}] }))).toEqual([
      'sessions[0].id',
      'sessions[0].number',
      'sessions[0].startDate',
    ]);
    const event = ['date', 'id', 'name', 'params', 'timestamp', 'type'].map((name) => `sessions[0].events[0].${name}`);
    expect(await faults((report) => void Object.assign(report.sessions[0]!, { events: [{}] }))).toEqual(event);
  });

  test.each<[string, unknown]>([
    ['id', ''],
    ['id', ' \t'],
    ['id', 'x'.repeat(257)],
    ['id', 7],
    ['id', null],
    ['name', '\u2003\u3000'],
    ['name', 'x'.repeat(257)],
    ['name', 'SessionStarted'],
    ['name', 'CampaignResolved'],
    ['type', 'Custom'],
    ['timestamp', -1],
    ['timestamp', 253_402_300_800],
    ['timestamp', '1789000000'],
    ['date', '2026-09-10'],
    ['date', '2026-09-10T00:00'],
    ['date', '2026-09-10T00:00.5Z'],
    ['date', '2026-09-10T00:00:00'],
    ['date', '0000-01-01T00:00:00Z'],
    ['date', '10000-01-01T00:00:00Z'],
    ['date', '2026-09-10T00:00:00+24:00'],
    ['date', '2026-13-10T00:00:00Z'],
    ['params', {}],
    ['params', null],
    ['params', Array.from({ length: 257 }, (_, i) => ({ name: `p${i}`, value: 1 }))],
    ['id', 'a\0b'],
    ['name', '\ud800'],
  ])('event.%s %p', async (name, value) => {
    expect(await faults((report) => void Object.assign(report.sessions[0]!.events![0]!, { [name]: value }))).toEqual([
      `sessions[0].events[0].${name}`,
    ]);
  });

  test.each<[string, unknown, string]>([
    ['value', null, 'value'],
    ['value', [], 'value'],
    ['value', {}, 'value'],
    ['value', 'x'.repeat(8_193), 'value'],
    ['value', 'nul \0', 'value'],
    ['value', '\udfff', 'value'],
    ['name', '', 'name'],
    ['name', 'nul \0', 'name'],
    ['name', 5, 'name'],
  ])('params[0].%s %p', async (name, value, path) => {
    expect(
      await faults((report) => void Object.assign(report.sessions[0]!.events![0]!.params[0]!, { [name]: value })),
    ).toEqual([`sessions[0].events[0].params[0].${path}`]);
  });

  test('a list with too many entries is named beside its entries', async () => {
    const params = Array.from({ length: 257 }, (_, i) => ({
      name: i === 3 ? ' ' : `p${i}`,
      value: i === 256 ? null : 1,
    }));
    expect(await faults((report) => void Object.assign(report.sessions[0]!.events![0]!, { params }))).toEqual([
      'sessions[0].events[0].params',
      'sessions[0].events[0].params[256].value',
      'sessions[0].events[0].params[3].name',
    ]);
  });

  test.each<[string, string, unknown]>([
    ['user.id', 'id', 5],
    ['user.lastSyncTS', 'lastSyncTS', '1'],
    ['user.properties', 'properties', null],
  ])('%s', async (path, name, value) => {
    expect(await faults((report) => void Object.assign(report.user, { [name]: value }))).toEqual([path]);
  });

  test.each<[string, unknown]>([
    ['sdkVersionNormalized', 1.5],
    ['sdkVersionNormalized', -1],
    ['sdkVersionNormalized', 2 ** 53],
    ['platform', 'ios'],
    ['deviceModel', null],
    ['installDatetime', null],
    ['country', 5],
    ['adId', false],
  ])('device.properties.%s %p', async (name, value) => {
    expect(await faults((report) => void Object.assign(report.device.properties, { [name]: value }))).toEqual([
      `device.properties.${name}`,
    ]);
  });

  test('numbers that JSON.parse would change', async () => {
    expect(await faults((report) => text(report, '"level","value":7', '"level","value":1e400'))).toEqual([
      'sessions[0].events[0].params[0].value',
    ]);
    expect(await faults((report) => text(report, '"global":3', '"global":9007199254740993'))).toEqual([
      'sessions[0].number.global',
    ]);
  });

  test('a duplicate key is named, in known and unknown places', async () => {
    expect(await faults((report) => text(report, '"version":2', '"version":2,"version":3'))).toEqual([
      'sessions[0].number.version',
    ]);
    expect(await faults((report) => text(report, '"user":{}', '"user":{},"extra":[{"a.b":1,"a.b":2}]'))).toEqual([
      'extra[0]["a.b"]',
    ]);
  });

  test('a duplicate key hides no other fault, and its last value is checked too', async () => {
    const wrong = '{"user":{"id":5},"device":1,"zz":1,"zz":2}';
    expect(await faults(() => Buffer.from(wrong))).toEqual(['device', 'sessions', 'user.id', 'zz']);
    expect(await faults((report) => text(report, '"number":', '"number":1,"number":{"global":-1},"x":'))).toEqual([
      'sessions[0].number',
      'sessions[0].number.global',
      'sessions[0].number.version',
    ]);
  });

  test('reserved names are free for system events, and other system names are too', async () => {
    const events = [
      anEvent({ type: 'system', name: 'SessionStarted' }),
      anEvent({ type: 'system', name: 'SomethingNew' }),
      anEvent({ name: 'sessionStarted' }),
    ];
    expect((await send(aReport({ sessions: [aSession({ events })] }))).status).toBe(200);
  });

  test('at most 100 fields are listed, however many a hostile body has', async () => {
    const events = Array.from({ length: 5_000 }, () => ({ params: [] }));
    const hostile = { sessions: Array.from({ length: 5 }, () => ({ events })) };
    const answer = await send(gzipSync(json(hostile)), { 'Content-Encoding': 'gzip' });
    expect(answer.status).toBe(422);
    expect(pathsOf(answer)).toHaveLength(100);
    const values = gzipSync(Buffer.from(`{"sessions":[{"events":[{"params":[${'0,'.repeat(99_000)}0]}]}]}`));
    expect(pathsOf(await send(values, { 'Content-Encoding': 'gzip' }))).toContain('sessions[0].events[0].params');
  });

  test('a message never repeats the value', async () => {
    const secret = randomUUID();
    const report = aReport();
    Object.assign(report.device.properties, { platform: secret, sdkVersionNormalized: secret });
    expect(JSON.stringify((await send(report)).body)).not.toContain(secret);
  });
});
