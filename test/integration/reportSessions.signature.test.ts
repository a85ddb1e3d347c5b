// POST /api/v1/session: each 403, in the order in which the signature, the clock and the nonce are checked.
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createEncryption } from '../../src/platform/encryption.ts';
import { pathsOf, sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { aReport, json, signedHeaders } from '../support/uploads.ts';

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
    const answer = await sendStrict(Buffer.from('{"user":{},"device":{},"sessions":[]}'), headers);
    expect(answer).toMatchObject({ status: 422 });
    expect(pathsOf(answer)).toEqual(['device.id', 'device.properties', 'sessions']);
  });
});
