// POST /api/v1/tm/store: every refusal in openapi.yaml.
import { randomUUID } from 'node:crypto';
import { upload } from '../support/purchases.ts';
import { pathsOf } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

function send(body: unknown, headers: Record<string, string> = {}) {
  return service.client.send(
    'reportStoreTransactions',
    { 'X-Api-Key': service.application.key.public, ...headers },
    body,
  );
}

const device = { id: 'a-device' };

describe('422', () => {
  test.each<[string, unknown, string[]]>([
    ['no transactions', { device }, ['transactions']],
    ['empty transactions', { device, transactions: [] }, ['transactions']],
    ['no device', { transactions: [{ id: '1' }] }, ['device']],
    ['empty device id', { device: { id: '' }, transactions: [{ id: '1' }] }, ['device.id']],
    ['an empty id', { device, transactions: [{ id: '1' }, { id: '' }] }, ['transactions[1].id']],
    ['a blank id', { device, transactions: [{ id: ' \u0085\u00a0' }] }, ['transactions[0].id']],
    ['a number as id', { device, transactions: [{ id: 1 }] }, ['transactions[0].id']],
    ['no id', { device, transactions: [{}] }, ['transactions[0].id']],
    ['a long id', { device, transactions: [{ id: 'x'.repeat(257) }] }, ['transactions[0].id']],
    ['NUL', { device, transactions: [{ id: 'a\u0000' }] }, ['transactions[0].id']],
    ['a lone surrogate', { device, transactions: [{ id: '\ud800' }] }, ['transactions[0].id']],
    ['no JSON', Buffer.from('{'), ['']],
  ])('%s', async (_, body, paths) => {
    const answer = await send(body);
    expect(answer.status).toBe(422);
    expect(pathsOf(answer)).toEqual(paths);
  });

  test('not for the longest id, of whatever characters', async () => {
    expect((await send({ device, transactions: [{ id: '🎁'.repeat(256) }] })).status).toBe(200);
  });
});

test('404 without a known key', async () => {
  const answer = await send({}, { 'X-Api-Key': 'unknown' });
  expect(answer).toMatchObject({ status: 404, body: { detail: 'Application not found' } });
});

test('415 for another media type', async () => {
  expect((await send(Buffer.from('{}'), { 'Content-Type': 'text/plain' })).status).toBe(415);
});

test('413 for one transaction more than 500', async () => {
  const transactions = Array.from({ length: 501 }, () => ({ id: randomUUID() }));
  const limit = { error: 'payload_too_large', unit: 'transactions', limit: 500 };
  expect(await send({ device, transactions })).toMatchObject({ status: 413, body: limit });
  expect((await send({ device, transactions: transactions.slice(1) })).status).toBe(200);
});

test('503 with Retry-After while the database is away, and 500 for what is our fault', async () => {
  const failing = (error: Error) =>
    startTestService({ change: (deps) => ({ ...deps, storeTransactions: () => Promise.reject(error) }) });
  const away = await failing(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }));
  const answer = await upload(away, ['1']);
  expect(answer).toMatchObject({ status: 503, body: { error: 'unavailable' } });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  await away.stop();
  const broken = await failing(new Error('secret detail'));
  expect(await upload(broken, ['1'])).toMatchObject({ status: 500, body: { error: 'internal_error' } });
  await broken.stop();
});
