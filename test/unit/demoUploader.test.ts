// The reference SDK's reaction to each response: retry the same bytes, sign again, or give up.
import { Backoff } from '../tools/demo/sdk/backoff.ts';
import { DeviceClock } from '../tools/demo/sdk/deviceClock.ts';
import { newDeviceStore } from '../tools/demo/sdk/deviceStore.ts';
import { Exchange } from '../tools/demo/sdk/exchange.ts';
import { recommendedSettings } from '../tools/demo/sdk/settings.ts';
import { Uploader, type UploadStep } from '../tools/demo/sdk/uploader.ts';
import type { DeviceProperties, SessionReport } from '../tools/demo/sdk/wire.ts';

const report = {
  user: {},
  device: { id: 'd', properties: {} as DeviceProperties },
  sessions: [],
} satisfies SessionReport;
const deviceNow = Date.parse('2026-11-20T10:00:00Z');
const serverDate = 'Sat, 21 Nov 2026 10:00:00 GMT';

type Answer = { status: number; reason?: string; retryAfter?: string } | 'no answer';

/** Gives the responses one after the other, and repeats the last one. */
async function deliver(answers: Answer[]) {
  const sent: { headers: Headers; body: string }[] = [];
  const waits: number[] = [];
  const steps: UploadStep[] = [];
  let nonces = 0;
  const environment = {
    now: () => deviceNow,
    uptime: () => 0,
    utcOffsetMinutes: () => 0,
    random: () => 0.5,
    randomBytes: (size: number) => new Uint8Array(size).fill(++nonces),
    newId: () => 'id',
    warn: () => undefined,
    sleep: async (millis: number) => void waits.push(millis),
    after: () => () => undefined,
    osVersion: () => '18.1',
    fetch: async (_url: string, { headers, body }: RequestInit) => {
      sent.push({ headers: new Headers(headers), body: (body as Buffer).toString() });
      const answer = answers[Math.min(sent.length, answers.length) - 1]!;
      if (answer === 'no answer') throw new TypeError('fetch failed');
      const replyHeaders = { Date: serverDate, ...(answer.retryAfter ? { 'Retry-After': answer.retryAfter } : {}) };
      return new Response(JSON.stringify({ reason: answer.reason }), { status: answer.status, headers: replyHeaders });
    },
  };
  const store = newDeviceStore('d', report.device.properties);
  const credentials = { baseUrl: 'http://service', publicKey: 'pub', secretKey: 'sec' };
  const clock = new DeviceClock(environment, store);
  const onStep = (step: UploadStep) => void steps.push(step);
  const backoff = new Backoff({ policy: recommendedSettings.retry, environment });
  const parts = { credentials, settings: recommendedSettings, environment, clock, store, backoff };
  const uploader = new Uploader({ ...parts, exchange: new Exchange(parts), onStep });
  const delivery = await uploader.deliver(() => report);
  const header = (name: string): (string | null)[] => sent.map(({ headers }) => headers.get(name));
  return { delivery, steps, waits, timestamps: header('X-Timestamp'), nonces: header('X-Nonce'), sent };
}

test('a lost reply and a 5xx are retried with the same bytes and nonce', async () => {
  const { delivery, waits, nonces, sent } = await deliver(['no answer', 'no answer', { status: 200 }]);
  expect(delivery.kind).toBe('acknowledged');
  expect(waits).toEqual([1_000, 2_000]);
  expect(new Set(nonces).size).toBe(1);
  expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
});

test('Retry-After of a 503 is waited for', async () => {
  expect((await deliver([{ status: 503, retryAfter: '20' }, { status: 200 }])).waits).toEqual([20_000]);
});

test('it gives up after the last attempt and keeps nothing from the caller', async () => {
  const { delivery, sent } = await deliver([{ status: 500 }]);
  expect(delivery.kind).toBe('unreachable');
  expect(sent).toHaveLength(recommendedSettings.retry.attempts);
});

test('a wrong clock is corrected and the upload signed again, without a wait', async () => {
  const { delivery, steps, timestamps, nonces, waits } = await deliver([
    { status: 403, reason: 'timestamp_out_of_window' },
    { status: 200 },
  ]);
  expect(delivery).toMatchObject({ kind: 'acknowledged', timestamp: Date.parse(serverDate) / 1_000 });
  expect(timestamps).toEqual([String(deviceNow / 1_000), String(Date.parse(serverDate) / 1_000)]);
  expect(new Set(nonces).size).toBe(2);
  expect([steps, waits]).toEqual([['clock_corrected'], []]);
});

test('a reused nonce is replaced once', async () => {
  const { delivery, steps, sent } = await deliver([{ status: 403, reason: 'nonce_reused' }]);
  expect(delivery.kind).toBe('postponed');
  expect(steps).toEqual(['nonce_replaced']);
  expect(sent).toHaveLength(2);
});

test('the repeat with a new signature is none of the five attempts', async () => {
  const { delivery, sent } = await deliver([{ status: 403, reason: 'nonce_reused' }, { status: 503 }]);
  expect([delivery.kind, sent.length]).toEqual(['unreachable', 1 + recommendedSettings.retry.attempts]);
});

test.each([400, 408, 429])(
  '%i is a cut request or that of a proxy: it is retried like a lost reply',
  async (status) => {
    const { delivery, waits, sent } = await deliver([{ status }, { status: 200 }]);
    expect([delivery.kind, waits, new Set(sent.map(({ body }) => body)).size]).toEqual(['acknowledged', [1_000], 1]);
  },
);

test.each([403, 404, 415, 422])('%i is not sent again', async (status) => {
  const { delivery, sent } = await deliver([{ status, reason: 'signature_mismatch' }]);
  expect(delivery).toMatchObject({ kind: 'refused', status });
  expect(sent).toHaveLength(1);
});

test('413 is handed back for halving', async () => {
  expect((await deliver([{ status: 413 }])).delivery.kind).toBe('too_large');
});
