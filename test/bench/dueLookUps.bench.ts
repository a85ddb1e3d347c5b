// `npm run bench:lookups`: how long a worker takes to find a million subscriptions whose period has ended, and to queue them.
import { queueDueLookUps } from '../../src/purchases/queueDueLookUps.ts';
import { startTestService, type TestService } from '../support/testService.ts';

const lines = Number(process.env['LINES'] ?? 1_000_000);
const mostSeconds = 300;

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** One in ten lines is due, as where periods end on ten different days. */
const notDue = 9;

/** A statement has four seconds. */
const atOnce = 20_000;

async function seed(count: number, { kind, due }: { kind: string; due: string }): Promise<void> {
  const { application, database } = service;
  for (let from = 1; from <= count; from += atOnce) {
    await database.pool.query(
      `INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, expires_at,
         signed_at, auto_renew, transaction_id, next_look_up_at)
       SELECT '${kind}-' || n, $1, 'monthly', 'AUTO_RENEWABLE', 'PRODUCTION', now() - interval '30 days', ${due},
         now() - interval '30 days', true, '${kind}-' || n, ${due} FROM generate_series($2::int, $3::int) n`,
      [application.id, from, Math.min(count, from + atOnce - 1)],
    );
    await database.pool.query(
      `INSERT INTO store_transactions (id, application_id, state, line_id)
       SELECT '${kind}-' || n, $1, 'RESOLVED', '${kind}-' || n FROM generate_series($2::int, $3::int) n`,
      [application.id, from, Math.min(count, from + atOnce - 1)],
    );
  }
}

test(
  `${lines} due subscriptions are found and queued within minutes`,
  async () => {
    const { pool } = service.database;
    await seed(lines, { kind: 'due', due: "now() - interval '1 minute'" });
    await seed(Math.min(lines * notDue, 1_000_000), { kind: 'later', due: "now() + interval '1 day'" });
    await pool.query('ANALYZE store_entitlements');
    const begun = performance.now();
    const queued = await queueDueLookUps(pool);
    const seconds = (performance.now() - begun) / 1_000;
    process.stdout.write(`${queued} look-ups queued in ${seconds.toFixed(1)} s\n`);
    expect([queued, seconds < mostSeconds]).toEqual([lines, true]);
    const found = performance.now();
    expect(await queueDueLookUps(pool)).toBe(0);
    process.stdout.write(`none found in ${(performance.now() - found).toFixed(1)} ms\n`);
    const { rows } = await pool.query<{ due: number }>(
      'SELECT count(*)::int AS due FROM store_transactions WHERE look_up_at IS NOT NULL',
    );
    expect(rows[0]!.due).toBe(lines);
  },
  30 * 60_000,
);
