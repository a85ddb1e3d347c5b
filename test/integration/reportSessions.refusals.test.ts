// POST /api/v1/session: every refusal, in the order of the checks, and the service's own failures.
import { randomBytes, randomUUID } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { jest } from '@jest/globals';
import type { Deps } from '../../src/deps.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { AppError } from '../../src/platform/errors.ts';
import { withinASecond } from '../support/campaigns.ts';
import { eventually } from '../support/eventually.ts';
import { gate, nextTurn } from '../support/memoryStore.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { countsOf, ok, pathsOf, sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createApplication, createCampaign } from '../support/testWorkspace.ts';
import { aDevice, anEvent, aReport, aSession, json, type SessionReport, signedHeaders } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// POST /api/v1/session: the 404 of a key, which comes after the wire size and before everything else.
describe('reportSessions: key', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  function send(body: unknown, headers?: Record<string, string>) {
    return sendReport(service, body, headers);
  }

  describe('404: the key', () => {
    test.each([
      ['missing', undefined],
      ['unknown', `pub_${'0'.repeat(32)}`],
      ['empty', ''],
      ['endless', 'x'.repeat(4_000)],
      ['not ASCII', 'é'],
    ])('%s', async (_, key) => {
      const response = await service.client.send(
        'reportSessions',
        key === undefined ? {} : { 'X-Api-Key': key },
        aReport(),
      );
      expect(response).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
    });

    test.each(['revoked', 'of a deleted application'])('%s, within a second', async (reason) => {
      const { id, key } = await service.newApplication();
      expect((await send(aReport(), { 'X-Api-Key': key.public })).status).toBe(200);
      const { prisma } = service.database;
      if (reason === 'revoked')
        await prisma.apiKey.updateMany({ where: { applicationId: id }, data: { revokedAt: new Date() } });
      else await prisma.application.update({ where: { id }, data: { deletedAt: new Date() } });
      await withinASecond(async () => (await send(aReport(), { 'X-Api-Key': key.public })).status === 404);
    });

    test('comes after the size of the body and before its media type', async () => {
      const headers = { 'X-Api-Key': 'unknown', 'Content-Type': 'text/plain' };
      expect((await service.client.send('reportSessions', headers, json({}))).status).toBe(404);
      expect((await service.client.send('reportSessions', headers, Buffer.alloc(2 * 1024 * 1024 + 1))).status).toBe(
        413,
      );
    });
  });
});

// POST /api/v1/session: each 413, at the exact limit and one above it.
describe('reportSessions: limits', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  function send(body: unknown, headers?: Record<string, string>) {
    return sendReport(service, body, headers);
  }

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
      });
      expect([chunked.status, await chunked.json()]).toMatchObject([413, { unit: 'bytes' }]);
    });

    test('bytes after inflating, bounded while inflating', async () => {
      // Bytes that hardly compress keep it from inflating to more than 200 times its size.
      const noise = Buffer.from(randomBytes(200_000).toString('hex'));
      const bomb = gzipSync(Buffer.concat([Buffer.alloc(32 * 1024 * 1024, ' '), noise]));
      expect(await send(bomb, { 'Content-Encoding': 'gzip' })).toMatchObject(body('bytes', 8_388_608));
      expect(await send(bomb)).toMatchObject(body('bytes', 8_388_608));
      expect(
        await send(deflateRawSync(Buffer.concat([noise, Buffer.alloc(9_000_000, ' ')])), {
          'Content-Encoding': 'deflate',
        }),
      ).toMatchObject(body('bytes', 8_388_608));
      const report = json({ ...aReport(), unread: noise.toString() });
      const within = gzipSync(Buffer.concat([report, Buffer.alloc(8 * 1024 * 1024 - report.length, ' ')]));
      expect((await send(within, { 'Content-Encoding': 'gzip' })).status).toBe(200);
    });

    test('times its bytes after inflating, beyond 512 KiB', async () => {
      const padded = (bytes: number) => gzipSync(json(aReport()).toString().padEnd(bytes));
      for (const headers of [{ 'Content-Encoding': 'gzip' }, {}] as Record<string, string>[]) {
        expect((await send(padded(524_288), headers)).status).toBe(200);
        expect(await send(padded(524_289), headers)).toMatchObject(body('inflation', 200));
      }
    });

    test('values, wherever they are, at the exact limit', async () => {
      const one = aReport();
      const own = json({ ...one, unread: [] })
        .toString()
        .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
        .replaceAll(/[^[{,]/g, '').length;
      const withValues = (count: number) => json({ ...one, unread: Array(count - own + 1).fill(1) });
      expect((await send(withValues(100_000))).status).toBe(200);
      expect(await send(withValues(100_001))).toMatchObject(body('values', 100_000));
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
      const repeated = `{"zz":1,"zz":2,"sessions":[${Array(501).fill(0).join()}]}`;
      expect(await send(Buffer.from(repeated))).toMatchObject(body('sessions', 500));
    });
  });
});

// POST /api/v1/session: the accepted media types and encodings, and the 415 of all others.
describe('reportSessions: media type', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  function send(body: unknown, headers?: Record<string, string>) {
    return sendReport(service, body, headers);
  }

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
});

// POST /api/v1/session: each 403, in the order in which the signature, the clock and the nonce are checked.
describe('reportSessions: signature', () => {
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

  function send(body: unknown, headers?: Record<string, string>) {
    return sendReport(service, body, headers);
  }

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
    const without = (name: string) =>
      Object.fromEntries(Object.entries(signed()).filter(([header]) => header !== name));

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

    test('timestamp_out_of_window: beyond 300 seconds ahead or 24 hours behind, and only for a holder of the secret', async () => {
      const now = Math.floor(clock.now / 1000);
      clock.now = now * 1000;
      for (const timestamp of [now - 86_400, now - 600, now + 300])
        expect((await sendStrict(body, signed({ timestamp }))).status).toBe(200);
      for (const timestamp of [now - 86_401, now + 301, 1_000_000_000, 9_999_999_999]) {
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
      const responses = await Promise.all(
        bodies.map((other) => sendStrict(other, signedHeaders(strict.application.key, other, { nonce }))),
      );
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(responses.filter(({ status }) => status === 403)).toHaveLength(19);
    });

    test('a refused upload does not use its nonce up', async () => {
      const nonce = randomBytes(16).toString('base64url');
      const wrong = json({});
      expect((await sendStrict(wrong, signedHeaders(strict.application.key, wrong, { nonce }))).status).toBe(422);
      expect((await sendStrict(body, signed({ nonce }))).status).toBe(200);
    });

    test('is that of the bytes as sent, also where a proxy has stripped the coding', async () => {
      const compressed = gzipSync(json(aReport()));
      expect((await sendStrict(compressed, signedHeaders(strict.application.key, compressed))).status).toBe(200);
      const headers = { ...signedHeaders(strict.application.key, compressed), 'Content-Encoding': 'gzip' };
      expect(await sendStrict(json(aReport()), headers)).toMatchObject(refusal('signature_mismatch'));
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
      const response = await sendStrict(Buffer.from('{"user":{},"device":{},"sessions":[]}'), headers);
      expect(response).toMatchObject({ status: 422 });
      expect(pathsOf(response)).toEqual(['device.id', 'device.properties', 'sessions']);
    });
  });
});

// POST /api/v1/session: uploads that arrive long after they were signed, and uploads that are replayed after their nonce is forgotten.
describe('reportSessions: replay', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ signatureRequired: true });
  });
  afterAll(() => service.stop());

  const minutesAgo = (minutes: number) => Math.floor(Date.now() / 1_000) - minutes * 60;
  const property = (name: string, value: string | number) => ({ name, value });

  /** Signs now and sends as often as it is called, with the same bytes and the same signature. */
  function signed(report: SessionReport, timestamp: number) {
    const body = json(report);
    const headers = signedHeaders(service.application.key, body, { timestamp });
    return async () => {
      expect(await service.client.send('reportSessions', headers, body)).toMatchObject(ok);
      return storedRows(service, report);
    };
  }

  /** As if the device had been seen last then, and every nonce were forgotten. */
  async function laterOn(device: SessionReport['device'], lastSeenAt: Date): Promise<void> {
    const { prisma } = service.database;
    await prisma.nonce.deleteMany();
    await prisma.device.updateMany({ where: { id: device.id }, data: { firstSeenAt: lastSeenAt, lastSeenAt } });
  }

  test('a background transfer is stored, sets the state, and the device was seen when it was signed', async () => {
    const device = aDevice();
    await signed(aReport({ device, user: { id: 'early' } }), minutesAgo(600))();
    const before = new Date(minutesAgo(300) * 1_000);
    await laterOn(device, before);
    const timestamp = minutesAgo(200);
    const { device: row, events } = await signed(aReport({ device, user: { id: 'late' } }), timestamp)();
    expect(row).toMatchObject({ userId: 'late', firstSeenAt: before });
    // Within the second of its timestamp.
    const seen = row!.lastSeenAt.getTime() / 1_000 - timestamp;
    expect(seen >= 0 && seen <= 1).toBe(true);
    expect(events).toHaveLength(2);
  });

  test('the first upload of a device is its first and its last sign of life, however late it arrives', async () => {
    const { device } = await signed(aReport(), minutesAgo(60))();
    expect(device!.lastSeenAt).toEqual(device!.firstSeenAt);
    expect(Math.abs(Date.now() - device!.firstSeenAt.getTime())).toBeLessThan(60_000);
  });

  test('a late upload with one event that is new changes the state', async () => {
    const [device, session] = [aDevice(), aSession()];
    await signed(aReport({ device, user: { id: 'a' }, sessions: [session] }), minutesAgo(40))();
    const more = { ...session, events: [...session.events!, anEvent()] };
    const { device: row, events } = await signed(
      aReport({ device, user: { id: 'b' }, sessions: [more] }),
      minutesAgo(30),
    )();
    expect(row!.userId).toBe('b');
    expect(events).toHaveLength(2);
  });

  test('a late upload that is new sets the user and the finish of its sessions, whether they are new or stored', async () => {
    const [device, session] = [aDevice(), aSession({ id: '1' })];
    await signed(aReport({ device, user: { id: 'a' }, sessions: [session] }), minutesAgo(30))();
    const finishDate = '2026-09-10T03:00:00Z';
    const sessions = [{ ...session, finishDate, events: [anEvent()] }, aSession({ id: '2', finishDate })];
    const stored = await signed(aReport({ device, user: { id: 'b' }, sessions }), minutesAgo(29))();
    const finishedAt = new Date(finishDate);
    expect(stored.sessions).toMatchObject([
      { userId: 'b', finishedAt },
      { userId: 'b', finishedAt },
    ]);
  });

  test('a late upload that brings nothing but the finish of a stored session sets it, and its replay moves nothing', async () => {
    const [device, session] = [aDevice(), aSession({ finishDate: null })];
    await signed(aReport({ device, user: { id: 'a' }, sessions: [session] }), minutesAgo(30))();
    const ended = { ...session, finishDate: '2026-09-10T03:00:00Z', events: [] };
    const finish = signed(aReport({ device, user: { id: 'b' }, sessions: [ended] }), minutesAgo(29));
    const finishedAt = new Date(ended.finishDate);
    expect(await finish()).toMatchObject({ device: { userId: 'b' }, sessions: [{ userId: 'b', finishedAt }] });
    await signed(
      aReport({ device, user: { id: 'c' }, sessions: [{ ...ended, events: [anEvent()] }] }),
      minutesAgo(29),
    )();
    await laterOn(device, new Date(minutesAgo(60) * 1_000));
    const before = await storedRows(service, { device });
    expect(before).toMatchObject({ device: { userId: 'c' }, sessions: [{ userId: 'c', finishedAt }] });
    expect(await finish()).toEqual(before);
  });

  test('a replay after its nonce is forgotten moves no state, and the device is not seen by it', async () => {
    const device = aDevice();
    const removal = anEvent({ type: 'system', name: 'CustomPropertyChanged', params: [property('key', 'gone')] });
    const timestamp = minutesAgo(20);
    const delta = (plan: string, sessions = [aSession()]) =>
      aReport({ device, user: { id: plan, lastSyncTS: 1, properties: [property('plan', plan)] }, sessions });
    const first = signed(delta('first', [aSession({ events: [anEvent(), removal] })]), timestamp);
    await first();
    // Of the same second, so that the time alone would let the replay of the first one through.
    const second = signed(delta('second'), timestamp);
    await second();
    await laterOn(device, new Date((timestamp - 3_600) * 1_000));
    const before = await storedRows(service, { device });
    expect(before.device).toMatchObject({ userId: 'second', userProperties: { plan: 'second' } });
    expect(await first()).toEqual(before);
    await service.database.prisma.nonce.deleteMany();
    // With an upload of the device that is new, in one transaction.
    const news = signed(delta('third'), minutesAgo(5));
    await Promise.all([first(), news(), second()]);
    const after = await storedRows(service, { device });
    expect(after.device).toMatchObject({ userId: 'third', userProperties: { plan: 'third' } });
    expect(after.events).toHaveLength(4);
  });

  /** Everything that is stored of the device, and the counts of the campaign. */
  async function allOf(device: SessionReport['device'], campaignId: string) {
    const { prisma } = service.database;
    const { key } = (await prisma.device.findFirst({ where: { id: device.id } }))!;
    const attribution = await prisma.attributionReport.findMany({ where: { deviceKey: key } });
    return [await storedRows(service, { device }), await countsOf(service, campaignId), attribution];
  }

  test('a late replay moves neither users of sessions nor installs, counts and attribution', async () => {
    const [device, session] = [aDevice(), aSession()];
    const campaignId = await createCampaign(service.database.prisma, service.application.id);
    const shown = () =>
      anEvent({ type: 'system', name: 'CampaignShown', params: [property('campaignId', campaignId)] });
    const timestamp = minutesAgo(20);
    const from = (user: string, vendorIdentifier: string) =>
      aReport({
        device: { ...device, properties: { ...device.properties, vendorIdentifier } },
        user: { id: user },
        sessions: [{ ...session, finishDate: null, events: [shown(), anEvent()] }],
      });
    const first = signed(from('first', 'v-1'), timestamp);
    await first();
    // Of the same second: by its time alone, the replay of the first one is as new.
    const second = signed(from('second', 'v-2'), timestamp);
    await second();
    const report = {
      device: { id: device.id },
      system: { os_version: '18' },
      attribution: { provider_a: { a: 1 } },
    };
    const key = { 'X-Api-Key': service.application.key.public };
    await service.client.send('reportAttribution', key, report);
    await service.database.prisma.nonce.deleteMany();
    const before = await allOf(device, campaignId);
    expect(before).toMatchObject([
      { device: { userId: 'second' }, sessions: [{ userId: 'second' }] },
      { shown: 2 },
      [{ providerA: { a: 1 } }],
    ]);
    await first();
    expect(await allOf(device, campaignId)).toEqual(before);
    // Beside an upload that is new, in one transaction.
    await service.database.prisma.nonce.deleteMany();
    const other = signed(aReport(), minutesAgo(1));
    await Promise.all([first(), other(), first()]);
    expect(await allOf(device, campaignId)).toEqual(before);
  });

  test('a late replay of a clock that was fast moves nothing', async () => {
    let now = new Date(Date.now() - 30 * 60_000);
    await using earlier = await startTestService({ signatureRequired: true, now: () => now });
    const [device, session] = [aDevice(), aSession()];
    const upload = (user: string, ahead: number) => {
      const report = aReport({ device, user: { id: user }, sessions: [{ ...session, events: [anEvent()] }] });
      const [body, timestamp] = [json(report), Math.floor(now.getTime() / 1_000) + ahead];
      const headers = signedHeaders(earlier.application.key, body, { timestamp });
      return () => earlier.client.send('reportSessions', headers, body);
    };
    const fast = upload('fast clock', 240);
    expect(await fast()).toMatchObject(ok);
    now = new Date(now.getTime() + 60_000);
    expect(await upload('right clock', 0)()).toMatchObject(ok);
    now = new Date();
    await earlier.database.prisma.nonce.deleteMany();
    const before = await storedRows(earlier, { device });
    expect(before).toMatchObject({ device: { userId: 'right clock' }, sessions: [{ userId: 'right clock' }] });
    expect(await fast()).toMatchObject(ok);
    expect(await storedRows(earlier, { device })).toEqual(before);
  });

  test('a late replay does not bring back a finish that has given way, though its time has come', async () => {
    const [device, session] = [aDevice(), aSession({ events: [] })];
    const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    const wrong = signed(
      aReport({ device, sessions: [{ ...session, finishDate: inHours(-1).toISOString() }] }),
      minutesAgo(20),
    );
    await wrong();
    // As if it had arrived an hour before its finish.
    const { prisma } = service.database;
    await prisma.session.updateMany({
      where: { id: session.id },
      data: { receivedAt: inHours(-2), finishPossible: false },
    });
    const right = inHours(-1.5);
    await signed(aReport({ device, sessions: [{ ...session, finishDate: right.toISOString() }] }), minutesAgo(1))();
    await prisma.nonce.deleteMany();
    expect((await wrong()).sessions).toMatchObject([{ finishedAt: right }]);
  });

  test('within 15 minutes the nonce is still known: it tells another upload from the same one', async () => {
    const [one, other] = [json(aReport()), json(aReport())];
    const signing = { timestamp: minutesAgo(14), nonce: randomBytes(16).toString('base64url') };
    const send = (body: Buffer) =>
      service.client.send('reportSessions', signedHeaders(service.application.key, body, signing), body);
    expect(await send(one)).toMatchObject(ok);
    expect(await send(one)).toMatchObject(ok);
    expect(await send(other)).toMatchObject({ status: 403, body: { reason: 'nonce_reused' } });
  });
});

// POST /api/v1/session: each 422, with exactly the paths of the wrong fields.
describe('reportSessions: validation', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  function send(body: unknown, headers?: Record<string, string>) {
    return sendReport(service, body, headers);
  }

  describe('422', () => {
    async function faults(change: (report: ReturnType<typeof aReport>) => unknown): Promise<string[]> {
      const report = aReport();
      const changed = change(report);
      const response = await send(changed === undefined ? report : changed);
      expect(response).toMatchObject({ status: 422, body: { error: 'validation_failed', status: 422 } });
      return pathsOf(response);
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
      const event = ['date', 'id', 'name', 'params', 'timestamp', 'type'].map(
        (name) => `sessions[0].events[0].${name}`,
      );
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
      const response = await send(gzipSync(json(hostile)), { 'Content-Encoding': 'gzip' });
      expect(response.status).toBe(422);
      expect(pathsOf(response)).toHaveLength(100);
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
});

// POST /api/v1/session: failures of our own are 500 or 503, never a 4xx, and say nothing of their cause.
describe('reportSessions: failures', () => {
  describe('failures of our own', () => {
    const failing = async (change: (deps: Deps) => Deps, run: (broken: TestService) => Promise<void>) => {
      await using broken = await startTestService({ change });
      await run(broken);
    };
    const sendTo = ({ client, application }: TestService, headers = {}, report: object = aReport()) =>
      client.send('reportSessions', { 'X-Api-Key': application.key.public, ...headers }, report);

    test('an unexpected failure is 500 without its details', async () => {
      const uploads: Deps['uploads'] = { isFull: () => false, take: () => Promise.reject(new Error('secret detail')) };
      await failing(
        (deps) => ({ ...deps, uploads }),
        async (broken) => {
          const response = await sendTo(broken);
          expect(response).toMatchObject({ status: 500, body: { error: 'internal_error', status: 500 } });
          expect(JSON.stringify(response)).not.toContain('secret detail');
        },
      );
    });

    test('a key that cannot be looked up is 503 with Retry-After, never 404', async () => {
      const applications = {
        peek: () => undefined,
        find: () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })),
      };
      await failing(
        (deps) => ({ ...deps, applications }),
        async (broken) => {
          const response = await sendTo(broken);
          expect(response).toMatchObject({ status: 503, body: { error: 'unavailable', status: 503 } });
          expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
        },
      );
    });

    test('Retry-After grows with the outage, for its operation alone, and is 1 after it', async () => {
      let isAway = true;
      const outage = () => Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
      const change = (deps: Deps): Deps => ({
        ...deps,
        applications: { ...deps.applications, find: (key) => (isAway ? outage() : deps.applications.find(key)) },
      });
      await failing(change, async (broken) => {
        const wait = async () => Number((await sendTo(broken)).headers['retry-after']);
        expect(await wait()).toBe(1);
        const now = performance.now.bind(performance);
        const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 600_000);
        try {
          const waits = await Promise.all(Array.from({ length: 20 }, wait));
          for (const each of waits) expect(each >= 100 && each <= 300).toBe(true);
          expect(new Set(waits).size).toBeGreaterThan(10);
          const key = { 'X-Api-Key': broken.application.key.public };
          expect((await broken.client.send('getCampaigns', key)).headers['retry-after']).toBe('1');
          isAway = false;
          expect(await sendTo(broken)).toMatchObject({ status: 200 });
          isAway = true;
          expect(await wait()).toBe(1);
        } finally {
          later.mockRestore();
        }
      });
    });

    test('a refusal with a Retry-After of its own keeps it, and is no load', async () => {
      const refusals = [...Array<number>(30).fill(3_600), null].map(
        (retryAfterSeconds) => new AppError('unavailable', { retryAfterSeconds }),
      );
      const uploads: Deps['uploads'] = { isFull: () => false, take: () => Promise.reject(refusals.shift()!) };
      await failing(
        (deps) => ({ ...deps, uploads }),
        async (broken) => {
          const waits: unknown[] = [];
          while (refusals.length > 0) waits.push((await sendTo(broken)).headers['retry-after']);
          expect(waits).toEqual([...Array<string>(30).fill('3600'), '1']);
        },
      );
    });

    test('a full queue is 503, and what was accepted is stored', async () => {
      await using small = await startTestService({ ingestQueueUploads: 1 });
      const reports = Array.from({ length: 60 }, () => aReport());
      const responses = await Promise.all(
        reports.map((report) =>
          small.client.send('reportSessions', { 'X-Api-Key': small.application.key.public }, report),
        ),
      );
      const count = (status: number) => responses.filter((response) => response.status === status).length;
      expect(count(200) + count(503)).toBe(60);
      expect(count(503)).toBeGreaterThan(0);
      expect(await small.database.prisma.event.count()).toBe(count(200));
    });

    test('uploads that are refused behind a response that nobody reads take no room from others', async () => {
      const { hold, open } = gate();
      const hanging = (deps: Deps): Deps => ({
        ...deps,
        campaigns: { ...deps.campaigns, find: () => hold as Promise<never> },
      });
      await failing(hanging, async (busy) => {
        const key = `X-Api-Key: ${busy.application.key.public}\r\n`;
        const body = ' '.repeat(60_000);
        const unread = `GET /api/v1/campaigns HTTP/1.1\r\nHost: x\r\n${key}\r\n`;
        const refused = `POST /api/v1/session HTTP/1.1\r\nHost: x\r\n${key}Content-Length: ${body.length}\r\n\r\n${body}`;
        const { hostname, port } = new URL(busy.url);
        const rejected = async () =>
          valueOf(readMetrics(await busy.deps.metrics.registry.metrics()), 'ingest_uploads_total', {
            outcome: 'validation_failed',
          });
        const sockets: Socket[] = [];
        // By halves: 64 that come together, on a busy machine, are a crowd before the first of them is refused.
        for (const count of [35, 70]) {
          while (sockets.length < count) sockets.push(connect(Number(port), hostname).on('error', () => undefined));
          const added = sockets.slice(-35);
          await Promise.all(added.map((socket) => new Promise((resolve) => socket.write(unread + refused, resolve))));
          await eventually(rejected, (refusals) => refusals === count);
        }
        expect(await sendTo(busy)).toMatchObject({ status: 200 });
        for (const socket of sockets) socket.destroy();
        open();
      });
    });

    test('an upload beyond 64 others of 3.5 MiB together is 503 at once, and those that came before are stored', async () => {
      const { hold, open } = gate();
      let held = 0;
      const change = (deps: Deps): Deps => ({
        ...deps,
        applications: {
          ...deps.applications,
          find: async (key) => ((held += 1), await hold, deps.applications.find(key)),
        },
      });
      await failing(change, async (busy) => {
        const send = (size: number) => sendTo(busy, {}, { ...aReport(), unknown: 'x'.repeat(size) });
        const sizes = [1_500_000, 1_500_000, 1_500_000, ...Array<number>(61).fill(0)];
        const first: ReturnType<typeof send>[] = [];
        // Each is admitted, whatever the total size of those before it.
        for (const size of sizes) {
          first.push(send(size));
          while (held < first.length) await nextTurn();
        }
        const refused = await sendTo(busy);
        expect(refused).toMatchObject({ status: 503, body: { error: 'unavailable', status: 503 } });
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
        expect(refused.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
        open();
        expect((await Promise.all(first)).map(({ status }) => status)).toEqual(first.map(() => 200));
        expect(await sendTo(busy)).toMatchObject({ status: 200 });
        expect(await busy.database.prisma.event.count()).toBe(first.length + 1);
      });
    });
  });
});
