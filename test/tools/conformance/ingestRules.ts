// The rules of openapi.yaml that a client can check: keys, signature, clock, replay, repetition, limits and errors.
import { randomBytes } from 'node:crypto';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { aDevice, anEvent, aReport, aSession, json } from '../../support/uploads.ts';
import { refusalRules } from './refusalRules.ts';
import { expectResponse, type Rule } from './rule.ts';
import { newNonce, nowSeconds, type ServiceUnderTest } from './service.ts';

const clockWindow = { ahead: 300, behind: 86_400 };
const limits = {
  wireBytes: 2_097_152,
  inflatedBytes: 8_388_608,
  inflation: 200,
  values: 100_000,
  sessions: 500,
  events: 5_000,
  transactions: 500,
};
const notAuthenticated = { error: 'request_not_authenticated' };

type Check = Rule['check'];
const group = (name: string, checks: Record<string, Check>): Rule[] =>
  Object.entries(checks).map(([rule, check]) => ({ group: name, name: rule, check }));

const upload = () => json(aReport());

const routes = group('routes and keys', {
  'an unknown path is 404 "Not Found"': async (service) =>
    expectResponse(await service.raw('/api/v1/nothing', {}), 404, { detail: 'Not Found' }),
  'another method of a known path is 404 "Not Found"': async (service) =>
    expectResponse(await service.raw('/api/v1/session', { method: 'PUT' }), 404, { detail: 'Not Found' }),
  'a slash after a known path is 404 "Not Found"': async (service) =>
    expectResponse(await service.raw('/api/v1/session/', { method: 'POST' }), 404, { detail: 'Not Found' }),
  'an unknown key is 404 "Application not found"': async (service) => {
    const response = await service.session(upload(), { headers: { 'X-Api-Key': 'pk_unknown' } });
    expectResponse(response, 404, { detail: 'Application not found' });
  },
  'a missing key is 404 "Application not found"': async (service) => {
    const response = await service.session(upload(), { headers: { 'X-Api-Key': '' } });
    expectResponse(response, 404, { detail: 'Application not found' });
  },
});

const signature = group('signature', {
  'a signed upload is 200 {}': async (service) => expectResponse(await service.session(upload()), 200),
  'an upload with one of the three headers is refused': async (service) => {
    const response = await service.session(upload(), { headers: { 'X-Signature': '' } });
    expectResponse(response, 403, { ...notAuthenticated, reason: 'signature_missing' });
  },
  'a signature without its version is malformed': async (service) => {
    const response = await service.session(upload(), { headers: { 'X-Signature': 'a'.repeat(64) } });
    expectResponse(response, 403, { ...notAuthenticated, reason: 'signature_malformed' });
  },
  'a nonce of 21 characters is malformed': async (service) => {
    const response = await service.session(upload(), { nonce: 'a'.repeat(21) });
    expectResponse(response, 403, { ...notAuthenticated, reason: 'signature_malformed' });
  },
  'a changed body does not match': async (service) => {
    const headers = service.signature(upload());
    const response = await service.call('reportSessions', { headers, body: upload() });
    expectResponse(response, 403, { ...notAuthenticated, reason: 'signature_mismatch' });
  },
  'the signature is compared before the clock': async (service) => {
    const headers = service.signature(upload(), { timestamp: nowSeconds() - 2 * clockWindow.behind });
    const response = await service.call('reportSessions', { headers, body: upload() });
    expectResponse(response, 403, { ...notAuthenticated, reason: 'signature_mismatch' });
  },
  'the signature comes before the schema': async (service) => {
    const headers = { ...service.signature(upload()) };
    expectResponse(await service.call('reportSessions', { headers, body: Buffer.from('{}') }), 403);
  },
});

async function outOfWindow(service: ServiceUnderTest, seconds: number): Promise<void> {
  const response = await service.session(upload(), { timestamp: nowSeconds() + seconds });
  expectResponse(response, 403, { ...notAuthenticated, reason: 'timestamp_out_of_window' });
  const { serverTime } = response.body as { serverTime: number };
  const date = Date.parse(response.headers['date'] ?? '') / 1_000;
  if (!(Math.abs(serverTime - date) <= 2)) throw new Error(`serverTime ${serverTime} and Date ${date} differ`);
}

/** In seconds. No rule tests the edge of the window exactly, because the clocks of the two machines may differ. */
const margin = 30;
const clock = group('clock', {
  'a clock just within the window is accepted': async (service) => {
    for (const seconds of [margin - clockWindow.behind, clockWindow.ahead - margin]) {
      expectResponse(await service.session(upload(), { timestamp: nowSeconds() + seconds }), 200);
    }
  },
  "a slow clock is refused with the server's time": (service) => outOfWindow(service, -clockWindow.behind - margin),
  "a fast clock is refused with the server's time": (service) => outOfWindow(service, clockWindow.ahead + margin),
  'an upload with the serverTime of a 403 is accepted': async (service) => {
    const refused = await service.session(upload(), { timestamp: nowSeconds() - 2 * clockWindow.behind });
    const { serverTime } = refused.body as { serverTime: number };
    expectResponse(await service.session(upload(), { timestamp: serverTime }), 200);
  },
});

const replay = group('replay and repetition', {
  'the same upload with the same nonce is 200': async (service) => {
    const [body, nonce] = [upload(), newNonce()];
    for (let time = 0; time < 3; time++) expectResponse(await service.session(body, { nonce }), 200);
  },
  'another body with a used nonce is refused': async (service) => {
    const nonce = newNonce();
    expectResponse(await service.session(upload(), { nonce }), 200);
    const response = await service.session(upload(), { nonce });
    expectResponse(response, 403, { ...notAuthenticated, reason: 'nonce_reused' });
  },
  'simultaneous copies with one nonce are all 200': async (service) => {
    const [body, nonce] = [upload(), newNonce()];
    const responses = await Promise.all(Array.from({ length: 10 }, () => service.session(body, { nonce })));
    for (const response of responses) expectResponse(response, 200);
  },
  'the same session with another nonce is 200, also with one more event': async (service) => {
    const session = aSession();
    const report = aReport({ sessions: [session] });
    expectResponse(await service.session(json(report)), 200);
    expectResponse(await service.session(json(report)), 200);
    session.events!.push(anEvent());
    expectResponse(await service.session(json(report)), 200);
  },
  'parts of a session in any order are 200': async (service) => {
    const [device, session] = [aDevice(), aSession({ events: [] })];
    const part = (finishDate: string | null) =>
      json(aReport({ device, sessions: [{ ...session, finishDate, events: [anEvent()] }] }));
    expectResponse(await service.session(part('2026-09-10T03:00:00Z')), 200);
    expectResponse(await service.session(part(null)), 200);
  },
});

const tooLarge = (unit: string, limit: number) => ({ error: 'payload_too_large', unit, limit });
const transactions = (count: number) => ({
  body: json({
    device: { id: 'conformance' },
    transactions: Array.from({ length: count }, (_, index) => ({ id: `conformance-${index}` })),
  }),
});
/** Random enough to be inflated by fewer times than the limit. */
const tooLong = () =>
  Buffer.concat([Buffer.alloc(limits.inflatedBytes, ' '), Buffer.from(randomBytes(50_000).toString('hex'))]);
const limitRules = group('limits', {
  'more bytes than the limit': async (service) => {
    const response = await service.session(Buffer.alloc(limits.wireBytes + 1, ' '));
    expectResponse(response, 413, tooLarge('bytes', limits.wireBytes));
  },
  'more bytes than the limit once inflated': async (service) => {
    const response = await service.session(gzipSync(tooLong()), { headers: { 'Content-Encoding': 'gzip' } });
    expectResponse(response, 413, tooLarge('bytes', limits.inflatedBytes));
  },
  'more than 200 times its bytes once inflated': async (service) => {
    const body = gzipSync(`{"unread":"${'a'.repeat(1_000_000)}"}`);
    const response = await service.session(body, { headers: { 'Content-Encoding': 'gzip' } });
    expectResponse(response, 413, tooLarge('inflation', limits.inflation));
  },
  'more values than the limit, in a member that nobody reads': async (service) => {
    const unread = (count: number) => json({ ...aReport(), unread: Array.from({ length: count }, () => 1) });
    const send = (count: number) =>
      service.session(gzipSync(unread(count)), { headers: { 'Content-Encoding': 'gzip' } });
    expectResponse(await send(limits.values), 413, tooLarge('values', limits.values));
    expectResponse(await send(limits.values - 1_000), 200);
  },
  'more sessions than the limit': async (service) => {
    const sessions = Array.from({ length: limits.sessions + 1 }, () => aSession({ events: [] }));
    expectResponse(await service.session(json(aReport({ sessions }))), 413, tooLarge('sessions', limits.sessions));
  },
  'more events of a session than the limit': async (service) => {
    const events = Array.from({ length: limits.events + 1 }, () => anEvent({ params: [] }));
    const response = await service.session(json(aReport({ sessions: [aSession({ events })] })));
    expectResponse(response, 413, tooLarge('events', limits.events));
  },
  'more transactions than the limit': async (service) => {
    const response = await service.call('reportStoreTransactions', transactions(limits.transactions + 1));
    expectResponse(response, 413, tooLarge('transactions', limits.transactions));
  },
  'nesting deeper than 32 levels': async (service) => {
    const response = await service.session(Buffer.from(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`));
    expectFields(response, ['']);
  },
});

function expectFields(response: Awaited<ReturnType<ServiceUnderTest['session']>>, paths: string[]): void {
  expectResponse(response, 422, { error: 'validation_failed' });
  const found = (response.body as { fields: { path: string }[] }).fields.map(({ path }) => path).sort();
  if (found.join() !== [...paths].sort().join())
    throw new Error(`fields are ${found.join(', ')}, expected ${paths.join(', ')}`);
}

const bodies = group('bodies and headers', {
  'gzip is read, and signed as sent': async (service) =>
    expectResponse(await service.session(gzipSync(upload()), { headers: { 'Content-Encoding': 'gzip' } }), 200),
  'gzip without Content-Encoding is read': async (service) =>
    expectResponse(await service.session(gzipSync(upload())), 200),
  'gzip sent as deflate is read': async (service) =>
    expectResponse(await service.session(gzipSync(upload()), { headers: { 'Content-Encoding': 'deflate' } }), 200),
  'deflate is read in both of its forms': async (service) => {
    for (const compress of [deflateSync, deflateRawSync]) {
      const response = await service.session(compress(upload()), { headers: { 'Content-Encoding': 'deflate' } });
      expectResponse(response, 200);
    }
  },
  'gzip without Content-Encoding is bounded while inflating': async (service) => {
    const response = await service.session(gzipSync(tooLong()));
    expectResponse(response, 413, tooLarge('bytes', limits.inflatedBytes));
  },
  'a date may leave the seconds out': async (service) => {
    const session = aSession({ startDate: '2026-11-25T06:40Z', events: [anEvent({ date: '2026-11-25T06:40+00' })] });
    expectResponse(await service.session(json(aReport({ sessions: [session] }))), 200);
  },
  'another content type is 415': async (service) =>
    expectResponse(await service.session(upload(), { headers: { 'Content-Type': 'text/plain' } }), 415),
  'another content encoding is 415': async (service) =>
    expectResponse(await service.session(upload(), { headers: { 'Content-Encoding': 'br' } }), 415),
  'a body without a content type is JSON': async (service) =>
    expectResponse(await service.session(upload(), { headers: { 'Content-Type': '' } }), 200),
  'a body that is not JSON is 422 with the byte offset where reading stopped': async (service) => {
    for (const value of ['NaN', 'Infinity', 'undefined']) {
      const response = await service.session(Buffer.from(`{"é":1,"a":${value}}`));
      expectFields(response, ['']);
      const [field] = (response.body as { fields: { message: string }[] }).fields;
      if (!/\b12\b/.test(field!.message)) throw new Error(`byte offset 12 is not in the message: ${field!.message}`);
    }
  },
  'every bad field is named': async (service) => {
    const report = aReport({ sessions: [aSession({ id: ' ', events: [anEvent({ name: '' })] })] });
    expectFields(await service.session(json(report)), ['sessions[0].id', 'sessions[0].events[0].name']);
  },
  'an unknown field is ignored': async (service) =>
    expectResponse(await service.session(json({ ...aReport(), later: { version: 2 } })), 200),
  'a key that appears twice is named': async (service) =>
    expectFields(await service.session(Buffer.from(`{"user":{},${upload().toString().slice(1)}`)), ['user']),
  'the response to an upload has X-Config-Revision': async (service) => {
    const { headers } = await service.session(upload());
    if (!headers['x-config-revision']) throw new Error('X-Config-Revision is missing');
  },
});

const others = group('other operations', {
  'attribution is 200 and may be repeated': async (service) => {
    const body = json({ device: { id: 'conformance' }, system: { os_version: '14' }, attribution: {} });
    expectResponse(await service.call('reportAttribution', { body }), 200);
    expectResponse(await service.call('reportAttribution', { body }), 200);
  },
  "a store's search-ads attribution is 200 in the form that the store sends": async (service) => {
    const search = { orgId: null, campaignId: 1, conversionType: null, clickDate: '2026-09-09T17:17Z', other: [1] };
    const attribution = { provider_a: {}, store_search_ads: search };
    const body = json({ device: { id: 'conformance' }, system: { os_version: '14' }, attribution });
    expectResponse(await service.call('reportAttribution', { body }), 200);
  },
  'store transactions are 200 and may be repeated': async (service) => {
    expectResponse(await service.call('reportStoreTransactions', transactions(2)), 200);
    expectResponse(await service.call('reportStoreTransactions', transactions(2)), 200);
  },
  'the configuration has an ETag, and is 304 for If-None-Match with it': async (service) => {
    const { status, headers } = await service.call('getCampaigns', {});
    if (status !== 200 || !headers['etag']) throw new Error(`got ${status} with the ETag ${headers['etag']}`);
    expectResponse(await service.call('getCampaigns', { headers: { 'If-None-Match': headers['etag'] } }), 304);
  },
  'the revision of the configuration is the X-Config-Revision of an upload': async (service) => {
    const { body } = await service.call('getCampaigns', {});
    const { headers } = await service.session(upload());
    const { revision } = body as { revision: string };
    if (revision !== headers['x-config-revision'])
      throw new Error(`${revision} and ${headers['x-config-revision']} differ`);
  },
});

const contents = [...limitRules, ...bodies, ...refusalRules];

/** The rules leave a few sessions of made-up devices in the application. */
export const ingestRules: Rule[] = [...routes, ...signature, ...clock, ...replay, ...contents, ...others];
