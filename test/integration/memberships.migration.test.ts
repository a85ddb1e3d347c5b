// The migration to memberships: roles, statuses, sessions and mailed tokens of users from before it go on working.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyMigrations } from '../../src/platform/database/migrations.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { createTestDatabase } from '../support/testDatabase.ts';

const first = '20261125161000_email_verified_at';
const [organization, owner, invited, withdrawn, disabled, passwordless, half, empty] = [1, 2, 3, 4, 5, 6, 7, 8].map(
  (number) => `00000000-0000-7000-8000-00000000000${number}`,
);

/**
 * The state before: one user of each kind, a session, and an open token of each kind. Then rows that no operation makes:
 * an active user without a password, an invited one with a password, a session and a reset token of an invitation. And an
 * organization without users.
 */
const before = `
  INSERT INTO organizations (id, name) VALUES ('${organization}', 'Acme'), ('${empty}', 'Empty');
  INSERT INTO users (id, organization_id, email, name, role, status, password_hash) VALUES
    ('${owner}', '${organization}', 'owner@example.com', 'Olga', 'owner', 'active', 'a hash'),
    ('${invited}', '${organization}', 'invited@example.com', 'Ida', 'editor', 'invited', NULL),
    ('${withdrawn}', '${organization}', 'withdrawn@example.com', NULL, 'viewer', 'disabled', NULL),
    ('${disabled}', '${organization}', 'disabled@example.com', 'Dan', 'viewer', 'disabled', 'a hash'),
    ('${passwordless}', '${organization}', 'passwordless@example.com', NULL, 'admin', 'active', NULL),
    ('${half}', '${organization}', 'half@example.com', NULL, 'viewer', 'invited', 'a hash');
  INSERT INTO login_sessions (id, user_id, expires_at) VALUES
    ('${owner}', '${owner}', now() + interval '1 day'), ('${invited}', '${invited}', now() + interval '1 day');
  INSERT INTO password_tokens (hash, user_id, purpose, expires_at) VALUES
    ('\\x01', '${invited}', 'invitation', now() + interval '1 day'),
    ('\\x02', '${owner}', 'reset', now() + interval '1 day'),
    ('\\x03', '${owner}', 'invitation', now() - interval '1 day'),
    ('\\x04', '${invited}', 'reset', now() + interval '1 day'),
    ('\\x05', '${half}', 'invitation', now() + interval '1 day');`;

test('users become members or invitations, with what was theirs', async () => {
  const database = await createTestDatabase({ empty: true });
  const prismaDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-memberships-'));
  const source = projectFile('prisma/migrations');
  const put = (names: string[]) => {
    for (const name of names)
      cpSync(path.join(source, name), path.join(prismaDir, 'migrations', name), { recursive: true });
  };
  try {
    mkdirSync(path.join(prismaDir, 'migrations'));
    const names = readdirSync(source);
    put(names.filter((name) => name < first || name.endsWith('.toml')));
    const apply = () => applyMigrations({ url: database.url, prismaDir, log: createLog('silent') });
    await apply();
    await database.pool.query(before);
    put(names);
    await apply();
    const { prisma } = database;
    const memberships = await prisma.membership.findMany({ orderBy: { id: 'asc' } });
    expect(memberships.map(({ userId, invitedEmail, role, status }) => [userId, invitedEmail, role, status])).toEqual([
      [owner, null, 'owner', 'active'],
      [null, 'invited@example.com', 'editor', 'invited'],
      [null, 'withdrawn@example.com', 'viewer', 'disabled'],
      [disabled, null, 'viewer', 'disabled'],
      [passwordless, null, 'admin', 'active'],
      [half, null, 'viewer', 'disabled'],
    ]);
    expect(memberships.map(({ invitedName }) => invitedName)).toEqual([null, 'Ida', null, null, null, null]);
    const users = await prisma.user.findMany({ orderBy: { id: 'asc' } });
    expect(users.map(({ email, emailVerifiedAt }) => [email, emailVerifiedAt !== null])).toEqual([
      ['owner@example.com', true],
      ['disabled@example.com', true],
      ['passwordless@example.com', false],
      ['half@example.com', true],
    ]);
    const tokens = await prisma.passwordToken.findMany({ orderBy: { hash: 'asc' } });
    expect(tokens.map(({ userId, membershipId }) => [userId, membershipId])).toEqual([
      [null, invited],
      [owner, null],
    ]);
    const sessions = await prisma.loginSession.findMany();
    expect(sessions.map(({ id, organizationId }) => [id, organizationId])).toEqual([[owner, organization]]);
    expect(memberships.map(({ lastLoginAt }) => lastLoginAt !== null)).toEqual([
      true,
      ...Array<boolean>(5).fill(false),
    ]);
  } finally {
    rmSync(prismaDir, { recursive: true });
    await database.drop();
  }
});
