// The removal of expired logins: a few at a time, found by the index, with their refresh tokens; live logins stay.
import { randomBytes } from 'node:crypto';
import { deleteExpiredLoginSessions } from '../../src/accounts/loginSessionsStore.ts';
import { batchesOfTwo } from '../support/countedBatches.ts';
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const day = 24 * 3_600_000;

test('removes logins a day past their end with their tokens, never many in one statement', async () => {
  const { prisma, pool } = service.database;
  const user = await newUser(service, await newOrganization(service));
  for (const endedDaysAgo of [5, 4, 3, 2, 1.1, 0.9]) {
    const expiresAt = new Date(Date.now() - endedDaysAgo * day);
    const refreshTokens = { create: [1, 2].map(() => ({ hash: Uint8Array.from(randomBytes(32)), expiresAt })) };
    await prisma.loginSession.create({
      data: { userId: user.id, organizationId: user.organizationId, expiresAt, refreshTokens },
    });
  }
  const [tokens, logins] = [
    [2, 2, 2, 2, 2, 0],
    [2, 2, 1],
  ];
  expect(await batchesOfTwo(pool, deleteExpiredLoginSessions)).toEqual([...tokens, ...logins]);
  const left = await prisma.loginSession.findMany({ where: { userId: user.id }, orderBy: { expiresAt: 'asc' } });
  expect(left.map(({ id }) => id === user.sessionId)).toEqual([false, true]);
  expect(await prisma.refreshToken.count()).toBe(2);
});

test('leaves a login that somebody holds for the next time, and waits for nobody', async () => {
  const { prisma, pool } = service.database;
  const { id: userId, organizationId } = await newUser(service, await newOrganization(service));
  const expiresAt = new Date(Date.now() - 2 * day);
  const held = await prisma.loginSession.create({ data: { userId, organizationId, expiresAt } });
  await prisma.loginSession.create({ data: { userId, organizationId, expiresAt } });
  const lock = await holdLock(pool, 'SELECT 1 FROM login_sessions WHERE id = $1 FOR UPDATE', held.id);
  const removed = await deleteExpiredLoginSessions(pool).finally(lock.release);
  expect([removed, await deleteExpiredLoginSessions(pool)]).toEqual([1, 1]);
});

test('finds them by their end', async () => {
  const client = await service.database.pool.connect();
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      'EXPLAIN SELECT id FROM login_sessions WHERE expires_at < now() ORDER BY expires_at LIMIT 100',
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Scan using login_sessions_expires_at_idx');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});
