// The migration that numbers refresh tokens: a login of an earlier version goes on, and its used tokens stay used.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const migration = readFileSync(projectFile('prisma/migrations/20261125150300_token_generations/migration.sql'), 'utf8');

test('numbers the tokens of each login in their order, and counts all of them as presented', async () => {
  const { prisma, pool } = service.database;
  const organizationId = await newOrganization(service);
  const [refreshed, fresh] = [await newUser(service, organizationId), await newUser(service, organizationId)];
  for (const [{ sessionId }, count] of [
    [refreshed, 3],
    [fresh, 1],
  ] as const) {
    for (let number = 0; number < count; number += 1) {
      const createdAt = new Date(Date.now() + number * 1_000);
      const usedAt = number < count - 1 ? createdAt : null;
      const hash = Uint8Array.from(randomBytes(32));
      await prisma.refreshToken.create({ data: { hash, sessionId, createdAt, usedAt, expiresAt: createdAt } });
    }
  }
  await pool.query(migration.slice(migration.indexOf('UPDATE')));
  const of = async ({ sessionId: id }: typeof fresh) => {
    const { usedGeneration, refreshTokens } = await prisma.loginSession.findUniqueOrThrow({
      where: { id },
      include: { refreshTokens: { orderBy: { createdAt: 'asc' } } },
    });
    return [usedGeneration, refreshTokens.map(({ generation }) => generation)];
  };
  expect([await of(refreshed), await of(fresh)]).toEqual([
    [2, [0, 1, 2]],
    [0, [0]],
  ]);
});
