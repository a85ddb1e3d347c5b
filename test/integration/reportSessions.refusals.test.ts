// POST /api/v1/session: each refusal of contract 1.2 and 1.3, in its order, with its body and its Date.
import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Deps } from '../../src/deps.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { anEvent, aReport, aSession, json, signedHeaders } from '../support/uploads.ts';

let service: TestService;
let strict: TestService;
const clock = { now: Date.now() };
beforeAll(async () => {
  service = await startTestService();
  strict = await startTestService({ signatureRequired: true, now: () => new Date(clock.now) });
});
beforeEach(() => {
  clock.now = Date.now();
});
afterAll(() => Promise.all([service.stop(), strict.stop()]));

function send(body: unknown, headers: Record<string, string> = {}) {
  return service.client.send('reportSessions', { 'X-Api-Key': service.application.key.public, ...headers }, body);
}

describe('404: the key', () => {
  test.each([
    ['missing', undefined],
    ['unknown', `pub_${'0'.repeat(32)}`],
    ['empty', ''],
    ['endless', 'x'.repeat(4_000)],
    ['not ASCII', 'é'],
  ])('%s', async (_, key) => {
    const answer = await service.client.send(
      'reportSessions',
      key === undefined ? {} : { 'X-Api-Key': key },
      aReport(),
    );
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
  });

  test.each(['revoked', 'of a deleted application'])('%s, within a second', async (reason) => {
    const { id, key } = await service.newApplication();
    expect((await send(aReport(), { 'X-Api-Key': key.public })).status).toBe(200);
    const { prisma } = service.database;
    if (reason === 'revoked')
      await prisma.apiKey.updateMany({ where: { applicationId: id }, data: { revokedAt: new Date() } });
    else await prisma.application.update({ where: { id }, data: { deletedAt: new Date() } });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await send(aReport(), { 'X-Api-Key': key.public })).status).toBe(404);
  });

  test('comes after the size of the body and before its media type', async () => {
    const headers = { 'X-Api-Key': 'unknown', 'Content-Type': 'text/plain' };
    expect((await service.client.send('reportSessions', headers, json({}))).status).toBe(404);
    expect((await service.client.send('reportSessions', headers, Buffer.alloc(2 * 1024 * 1024 + 1))).status).toBe(413);
  });
});

describe('413', () => {
  const body = (unit: string, limit: number) => ({
    status: 413,
    body: { error: 'payload_too_large', status: 413, unit, limit },
  });

  test('bytes on the wire, at the exact limit, announced or not', async () => {
    const padded = (size: number) => {
      const text = JSON.stringify({ ...aReport(), pad: '' });
      return Buffer.from(text.replace('"pad":""', `"pad":"${'x'.repeat(size - text.length)}"`));
    };
    expect((await send(padded(2 * 1024 * 1024))).status).toBe(200);
    expect(await send(padded(2 * 1024 * 1024 + 1))).toMatchObject(body('bytes', 2_097_152));
    const chunked = await fetch(`${service.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'X-Api-Key': service.application.key.public },
      body: new Blob([padded(2 * 1024 * 1024 + 1)]).stream(),
      duplex: 'half',
    } as RequestInit);
    expect([chunked.status, await chunked.json()]).toMatchObject([413, { unit: 'bytes' }]);
  });

  test('bytes after inflating, bounded while inflating', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '));
    expect(await send(bomb, { 'Content-Encoding': 'gzip' })).toMatchObject(body('bytes', 8_388_608));
    const within = gzipSync(Buffer.concat([json(aReport()), Buffer.alloc(8 * 1024 * 1024 - 1_000, ' ')]));
    expect((await send(within, { 'Content-Encoding': 'gzip' })).status).toBe(200);
  });

  test('sessions and events, which win over any wrong field', async () => {
    const sessions = (count: number) => Array.from({ length: count }, () => aSession({ events: [] }));
    const events = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ ...anEvent({ params: [] }), id: String(i) }));
    expect((await send(aReport({ sessions: sessions(500) }))).status).toBe(200);
    expect(await send(aReport({ sessions: sessions(501) }))).toMatchObject(body('sessions', 500));
    expect(await send({ sessions: sessions(501) })).toMatchObject(body('sessions', 500));
    expect((await send(aReport({ sessions: [aSession({ events: events(5_000) })] }))).status).toBe(200);
    const tooMany = aReport({ sessions: [aSession({ id: '' }), aSession({ events: events(5_001) })] });
    expect(await send(tooMany)).toMatchObject(body('events', 5_000));
    const hidden = { sessions: [{ events: Array(200).fill({}) }, { events: Array(5_001).fill(0) }] };
    expect(await send(hidden)).toMatchObject(body('events', 5_000));
  });
});

describe('415', () => {
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=latin1',
    'application/jsonx',
    '',
  ])('type %p', async (type) => {
    expect(await send(json(aReport()), { 'Content-Type': type })).toMatchObject(
      type === '' ? { status: 200 } : { status: 415, body: { error: 'unsupported_media_type', status: 415 } },
    );
  });
  test.each(['application/json; charset=UTF-8', 'Application/JSON', 'application/json;charset="utf-8"'])(
    'not for %p',
    async (type) => {
      expect((await send(json(aReport()), { 'Content-Type': type })).status).toBe(200);
    },
  );
  test.each(['br', 'gzip, gzip', 'zstd'])('encoding %p', async (encoding) => {
    expect((await send(json(aReport()), { 'Content-Encoding': encoding })).status).toBe(415);
  });
});

describe('403', () => {
  const refusal = (reason: string) => ({
    status: 403,
    body: {
      error: 'request_not_authenticated',
      status: 403,
      reason,
      serverTime: expect.closeTo(clock.now / 1000, -1) as number,
    },
  });
  const sendStrict = (body: Buffer, headers: Record<string, string>) =>
    strict.client.send('reportSessions', { 'X-Api-Key': strict.application.key.public, ...headers }, body);
  const body = json(aReport());
  const signed = (options = {}) => signedHeaders(strict.application.key, body, options);
  const without = (name: string) => Object.fromEntries(Object.entries(signed()).filter(([header]) => header !== name));

  test.each(['X-Timestamp', 'X-Nonce', 'X-Signature'])('signature_missing without %s', async (name) => {
    expect(await sendStrict(body, without(name))).toMatchObject(refusal('signature_missing'));
  });
  test('signature_missing without any, where signing is required', async () => {
    expect(await sendStrict(body, {})).toMatchObject(refusal('signature_missing'));
  });
  test('one header alone is verified in full where signing is optional', async () => {
    expect(await send(aReport(), { 'X-Nonce': 'n' })).toMatchObject({
      status: 403,
      body: { reason: 'signature_missing' },
    });
  });

  test.each([
    ['X-Timestamp', '17890000'],
    ['X-Timestamp', '1789000000.5'],
    ['X-Nonce', 'short'],
    ['X-Nonce', 'x'.repeat(65)],
    ['X-Nonce', 'not base64url at all ++++'],
    ['X-Signature', `v1=${'A'.repeat(64)}`],
    ['X-Signature', `v2=${'a'.repeat(64)}`],
    ['X-Signature', 'a'.repeat(64)],
  ])('signature_malformed: %s %s', async (name, value) => {
    expect(await sendStrict(body, { ...signed(), [name]: value })).toMatchObject(refusal('signature_malformed'));
  });

  test('signature_mismatch: another body, time, nonce, key or secret', async () => {
    const mismatch = refusal('signature_mismatch');
    expect(await sendStrict(json(aReport()), signed())).toMatchObject(mismatch);
    expect(await sendStrict(body, { ...signed(), 'X-Timestamp': '1789000000' })).toMatchObject(mismatch);
    expect(await sendStrict(body, { ...signed(), 'X-Nonce': randomBytes(16).toString('base64url') })).toMatchObject(
      mismatch,
    );
    expect(
      await sendStrict(body, signedHeaders({ ...strict.application.key, secret: 'sec_other' }, body)),
    ).toMatchObject(mismatch);
    const other = await strict.newApplication();
    expect(await sendStrict(body, { ...signed(), 'X-Api-Key': other.key.public })).toMatchObject(mismatch);
    expect(await sendStrict(gzipSync(body), { ...signed(), 'Content-Encoding': 'gzip' })).toMatchObject(mismatch);
  });

  test('timestamp_out_of_window: beyond 300 seconds, either way, and only for a holder of the secret', async () => {
    const now = Math.floor(clock.now / 1000);
    clock.now = now * 1000;
    for (const timestamp of [now - 300, now + 300])
      expect((await sendStrict(body, signed({ timestamp }))).status).toBe(200);
    for (const timestamp of [now - 301, now + 301, 1_000_000_000, 9_999_999_999]) {
      expect(await sendStrict(body, signed({ timestamp }))).toMatchObject(refusal('timestamp_out_of_window'));
    }
    const guessed = { ...signed({ timestamp: 1_000_000_000 }), 'X-Signature': `v1=${'0'.repeat(64)}` };
    expect(await sendStrict(body, guessed)).toMatchObject(refusal('signature_mismatch'));
  });

  test('nonce_reused: with another body, even one that would be 422 or 413; per application', async () => {
    const nonce = randomBytes(16).toString('base64url');
    expect((await sendStrict(body, signed({ nonce }))).status).toBe(200);
    const reused = (other: Buffer) => sendStrict(other, signedHeaders(strict.application.key, other, { nonce }));
    expect(await reused(json(aReport()))).toMatchObject(refusal('nonce_reused'));
    expect(await reused(json({}))).toMatchObject(refusal('nonce_reused'));
    expect(await reused(json({ sessions: Array(501).fill(0) }))).toMatchObject(refusal('nonce_reused'));
    const other = await strict.newApplication();
    expect((await sendStrict(body, signedHeaders(other.key, body, { nonce }))).status).toBe(200);
  });

  test('nonce_reused: exactly one of many different bodies that race with one nonce is stored', async () => {
    const nonce = randomBytes(16).toString('base64url');
    const bodies = Array.from({ length: 20 }, () => json(aReport()));
    const answers = await Promise.all(
      bodies.map((other) => sendStrict(other, signedHeaders(strict.application.key, other, { nonce }))),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(19);
  });

  test('a refused upload does not use its nonce up', async () => {
    const nonce = randomBytes(16).toString('base64url');
    const wrong = json({});
    expect((await sendStrict(wrong, signedHeaders(strict.application.key, wrong, { nonce }))).status).toBe(422);
    expect((await sendStrict(body, signed({ nonce }))).status).toBe(200);
  });

  test('comes after the media type and before the inflated size and the schema', async () => {
    expect((await sendStrict(body, { 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await sendStrict(json({}), {})).status).toBe(403);
    expect((await sendStrict(gzipSync(Buffer.alloc(9_000_000)), { 'Content-Encoding': 'gzip' })).status).toBe(403);
  });

  test("the contract's vector verifies over HTTP and then fails its schema", async () => {
    const key = { public: 'pk_test_7c2a', secret: 'sk_test_4f1b6a0c9d2e' };
    await createApplication(strict.database.prisma, createEncryption(Buffer.alloc(32, 1)), key);
    clock.now = 1_789_000_000_000;
    const headers = {
      'X-Api-Key': key.public,
      'X-Timestamp': '1789000000',
      'X-Nonce': 'AAECAwQFBgcICQoLDA0ODw',
      'X-Signature': 'v1=ee3c096b8c6b8904c4eff7e5fed7afd0552a5707210a0e6fae958dbf03e55ca3',
    };
    const answer = await sendStrict(Buffer.from('{"user":{},"device":{},"sessions":[]}'), headers);
    expect(answer).toMatchObject({ status: 422 });
    expect(paths(answer)).toEqual(['device.id', 'device.properties', 'sessions']);
  });
});

function paths(answer: { body: unknown }): string[] {
  return (answer.body as { fields: { path: string }[] }).fields.map(({ path }) => path).sort();
}

describe('422', () => {
  async function faults(change: (report: ReturnType<typeof aReport>) => unknown): Promise<string[]> {
    const report = aReport();
    const changed = change(report);
    const answer = await send(changed === undefined ? report : changed);
    expect(answer).toMatchObject({ status: 422, body: { error: 'validation_failed', status: 422 } });
    return paths(answer);
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
    ['not an object', Buffer.from('[]')],
    ['null', Buffer.from('null')],
    ['a string', Buffer.from('"{}"')],
    ['not UTF-8', Buffer.concat([Buffer.from('{"user":"'), Buffer.of(0xff, 0xfe), Buffer.from('"}')])],
    ['after a byte order mark', Buffer.from('\ufeff{}')],
    ['too deep', Buffer.from('{"a":'.repeat(33) + '1' + '}'.repeat(33))],
    ['far too deep', Buffer.from('['.repeat(1_000_000))],
  ])('a body that is %s has one field with path ""', async (_, body) => {
    expect(paths(await send(body))).toEqual(['']);
  });

  test('a body that cannot be inflated has one field with path ""', async () => {
    expect(paths(await send(json(aReport()), { 'Content-Encoding': 'gzip' }))).toEqual(['']);
    expect(paths(await send(gzipSync(json(aReport())).subarray(0, 40), { 'Content-Encoding': 'gzip' }))).toEqual(['']);
  });

  test('a missing field is named by its own path', async () => {
    expect(paths(await send({}))).toEqual(['device', 'sessions', 'user']);
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
    ['date', '2026-09-10T00:00Z'],
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
    const hostile = { sessions: Array.from({ length: 100 }, () => ({ events })) };
    const answer = await send(gzipSync(json(hostile)), { 'Content-Encoding': 'gzip' });
    expect(answer.status).toBe(422);
    expect(paths(answer)).toHaveLength(100);
    const values = gzipSync(Buffer.from(`{"sessions":[{"events":[{"params":[${'0,'.repeat(3_000_000)}0]}]}]}`));
    expect(paths(await send(values, { 'Content-Encoding': 'gzip' }))).toContain('sessions[0].events[0].params');
  });

  test('a message never repeats the value', async () => {
    const secret = randomUUID();
    const report = aReport();
    Object.assign(report.device.properties, { platform: secret, sdkVersionNormalized: secret });
    expect(JSON.stringify((await send(report)).body)).not.toContain(secret);
  });
});

describe('failures of our own', () => {
  const failing = async (change: (deps: Deps) => Deps, run: (broken: TestService) => Promise<void>) => {
    const broken = await startTestService({ change });
    await run(broken).finally(() => broken.stop());
  };
  const sendTo = ({ client, application }: TestService, headers = {}) =>
    client.send('reportSessions', { 'X-Api-Key': application.key.public, ...headers }, aReport());

  test('an unexpected failure is 500 without its details', async () => {
    const uploads = { submit: () => Promise.reject(new Error('secret detail')) } as unknown as Deps['uploads'];
    await failing(
      (deps) => ({ ...deps, uploads }),
      async (broken) => {
        const answer = await sendTo(broken);
        expect(answer).toMatchObject({ status: 500, body: { error: 'internal_error', status: 500 } });
        expect(JSON.stringify(answer)).not.toContain('secret detail');
      },
    );
  });

  test('a key that cannot be looked up is 503 with Retry-After, never 404', async () => {
    const applications = { find: () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })) };
    await failing(
      (deps) => ({ ...deps, applications }),
      async (broken) => {
        const answer = await sendTo(broken);
        expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable', status: 503 } });
        expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      },
    );
  });

  test('a full queue is 503, and what was accepted is stored', async () => {
    const small = await startTestService({ ingestQueueUploads: 1 });
    const reports = Array.from({ length: 60 }, () => aReport());
    const answers = await Promise.all(
      reports.map((report) =>
        small.client.send('reportSessions', { 'X-Api-Key': small.application.key.public }, report),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(200) + count(503)).toBe(60);
    expect(count(503)).toBeGreaterThan(0);
    expect(await small.database.prisma.event.count()).toBe(count(200));
    await small.stop();
  });
});
