// Expired rows whose number any client can increase: they are removed a few at a time, found by the index, and locked rows are skipped.
import { randomBytes } from 'node:crypto';
import { deleteExpiredAttempts } from '../../src/accounts/attemptsStore.ts';
import { deleteExpiredPasswordTokens } from '../../src/accounts/passwordTokensStore.ts';
import { batchesOfTwo } from '../support/countedBatches.ts';
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const expiresAt = new Date('2026-01-01T00:00:00Z');
const hash = () => Uint8Array.from(randomBytes(32));

test('attempts', async () => {
  const { prisma, pool } = service.database;
  const keys = Array.from({ length: 6 }, hash);
  await prisma.attempt.createMany({ data: keys.map((key) => ({ key, count: 1, expiresAt })) });
  const lock = await holdLock(
    pool,
    "SELECT 1 FROM attempts WHERE key = decode($1, 'hex') FOR UPDATE",
    Buffer.from(keys[3]!).toString('hex'),
  );
  expect(await batchesOfTwo(pool, deleteExpiredAttempts).finally(lock.release)).toEqual([2, 2, 1]);
  expect(await batchesOfTwo(pool, deleteExpiredAttempts)).toEqual([1]);
});

test('password tokens', async () => {
  const { prisma, pool } = service.database;
  const { id: userId } = await newUser(service, await newOrganization(service));
  const tokens = Array.from({ length: 4 }, () => ({ hash: hash(), userId, purpose: 'reset' as const, expiresAt }));
  await prisma.passwordToken.createMany({ data: tokens });
  expect(await batchesOfTwo(pool, deleteExpiredPasswordTokens)).toEqual([2, 2, 0]);
});

test.each([
  ['attempts', 'key'],
  ['password_tokens', 'hash'],
  ['email_tokens', 'hash'],
])('%s are found by their end', async (table, key) => {
  const client = await service.database.pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN SELECT ${key} FROM ${table} WHERE expires_at < now() ORDER BY expires_at LIMIT 100`,
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`Index Scan using ${table}_expires_at_idx`);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
