// The periodic tasks: how long each kind of row is kept, and what is created in advance.
import { randomBytes } from 'node:crypto';
import { deleteExpiredAttempts } from '../../src/accounts/attemptsStore.ts';
import { deleteExpiredEmailTokens } from '../../src/accounts/emailTokensStore.ts';
import { deleteExpiredPasswordTokens } from '../../src/accounts/passwordTokensStore.ts';
import { deleteExpiredNonces, ensureEventPartitions } from '../../src/sessions/upkeep/housekeepingStore.ts';
import { holdLock } from '../support/heldLock.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

test('a nonce is kept for 15 minutes, and none for longer', async () => {
  const { prisma, pool } = service.database;
  for (const minutes of [14, 16, 120]) {
    const receivedAt = new Date(Date.now() - minutes * 60_000);
    const row = { nonce: `${minutes}`, applicationId: service.application.id, bodyHash: Uint8Array.of(1), receivedAt };
    await prisma.nonce.create({ data: row });
  }
  expect(await deleteExpiredNonces(pool)).toBe(2);
  expect((await prisma.nonce.findMany()).map(({ nonce }) => nonce)).toEqual(['14']);
});

test('a password token is kept for a week past its end, and none for longer', async () => {
  const { prisma, pool } = service.database;
  const { id: userId } = await newUser(service, await newOrganization(service));
  for (const daysAgo of [-1, 6.9, 7.1]) {
    const expiresAt = new Date(Date.now() - daysAgo * 24 * 3_600_000);
    const row = { hash: Uint8Array.from(randomBytes(32)), userId, purpose: 'reset' as const, expiresAt };
    await prisma.passwordToken.create({ data: { ...row, createdAt: expiresAt } });
  }
  expect(await deleteExpiredPasswordTokens(pool)).toBe(1);
  expect(await prisma.passwordToken.count()).toBe(2);
});

test('a token of an e-mail address is kept for a week past its end, and none for longer', async () => {
  const { prisma, pool } = service.database;
  const { id: userId, email } = await newUser(service, await newOrganization(service));
  for (const daysAgo of [-1, 6.9, 7.1]) {
    const expiresAt = new Date(Date.now() - daysAgo * 24 * 3_600_000);
    const row = { hash: Uint8Array.from(randomBytes(32)), userId, email, purpose: 'change' as const };
    await prisma.emailToken.create({ data: { ...row, expiresAt, createdAt: expiresAt } });
  }
  expect(await deleteExpiredEmailTokens(pool)).toBe(1);
  expect(await prisma.emailToken.count()).toBe(2);
});

test('a partition is made while a backup reads and an upload writes, and is like the others', async () => {
  const { pool } = service.database;
  const names = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1`;
  const before = (await pool.query<{ name: string }>(names)).rows;
  const { name } = before.at(-1)!;
  await pool.query(`DROP TABLE ${name}`);
  const [reading, writing] = [
    await holdLock(pool, 'LOCK TABLE events IN ACCESS SHARE MODE'),
    await holdLock(pool, 'LOCK TABLE events IN ROW EXCLUSIVE MODE'),
  ];
  try {
    expect(await ensureEventPartitions(pool)).toBe(1);
  } finally {
    await reading.release();
    await writing.release();
  }
  expect((await pool.query(names)).rows).toEqual(before);
  const shape = (table: string) =>
    pool.query<{ definition: string }>(
      `SELECT replace(pg_get_indexdef(indexrelid), $1, 'x') AS definition, indisprimary AS primary,
        EXISTS (SELECT FROM pg_inherits WHERE inhrelid = indexrelid) AS attached
      FROM pg_index WHERE indrelid = $1::regclass ORDER BY 1`,
      [table],
    );
  const [made, other] = [(await shape(name)).rows, (await shape(before[0]!.name)).rows];
  expect(made).toEqual(other);
  expect(made).toMatchObject([{ primary: true, attached: true }]);
});

test('attempts are kept while their window is open, and no longer', async () => {
  const { prisma, pool } = service.database;
  const key = (name: string) => Uint8Array.from(Buffer.from(name));
  for (const [name, minutes] of [
    ['open', 1],
    ['over', -1],
  ] as const) {
    const expiresAt = new Date(Date.now() + minutes * 60_000);
    await prisma.attempt.create({ data: { key: key(name), count: 3, expiresAt } });
  }
  expect(await deleteExpiredAttempts(pool)).toBe(1);
  expect((await prisma.attempt.findMany()).map((row) => Buffer.from(row.key).toString())).toEqual(['open']);
});
