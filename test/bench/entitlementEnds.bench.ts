// `npm run bench:ends`: how long a worker takes to tell the ends of a million entitlements, without a webhook and with one.
import { tellEndsByClock } from '../../src/purchases/tellEndsByClock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { storeWebhook } from '../support/webhooks.ts';

const lines = Number(process.env['LINES'] ?? 1_000_000);
/** They end in one hour. */
const mostSeconds = 3_600;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** A statement has four seconds. */
const atOnce = 20_000;

async function seed(kind: string): Promise<void> {
  const { application, database } = service;
  for (let from = 1; from <= lines; from += atOnce) {
    await database.pool.query(
      `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, expires_at,
         signed_at, auto_renew, told_active, tell_at, next_look_up_at)
       SELECT '${kind}-' || n, $1, 'monthly', 'AUTO_RENEWABLE', 'PRODUCTION', now() - interval '30 days', now(),
         now() - interval '30 days', false, true, now(), NULL FROM generate_series($2::int, $3::int) n`,
      [application.id, from, Math.min(lines, from + atOnce - 1)],
    );
  }
}

async function measure(kind: string): Promise<void> {
  await seed(kind);
  const begun = performance.now();
  const told = await tellEndsByClock(service.database.pool);
  const seconds = (performance.now() - begun) / 1_000;
  process.stdout.write(`${told} ends told in ${seconds.toFixed(1)} s, ${kind}\n`);
  expect([told, seconds < mostSeconds]).toEqual([lines, true]);
  const found = performance.now();
  expect(await tellEndsByClock(service.database.pool)).toBe(0);
  process.stdout.write(`none found in ${(performance.now() - found).toFixed(1)} ms\n`);
}

test(
  `the ends of ${lines} entitlements are told in less than the hour in which they come`,
  async () => {
    await measure('without a webhook');
    await storeWebhook(service, service.application.id);
    await measure('with a webhook');
    expect(await service.database.prisma.webhookDelivery.count({ where: { type: 'ENTITLEMENT_EXPIRED' } })).toBe(lines);
  },
  60 * 60_000,
);
