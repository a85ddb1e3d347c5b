// Migrations, on databases with a history: what they refuse, and what they make of rows from before them.
import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { distributedTables, tablePlacement } from '../../src/compose/tableFacts.ts';
import { applyMigrations, migrationStatus, pendingMigrations } from '../../src/platform/database/migrations.ts';
import { createEncryption, reencryptColumn } from '../../src/platform/encryption.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { entitlementsOfDevice, storeTransactionsOfDevice } from '../../src/purchases/entitlementsStore.ts';
import { tellEndsByClock } from '../../src/purchases/tellEndsByClock.ts';
import { ensureEventPartitions } from '../../src/sessions/upkeep/dropOldEvents.ts';
import { type CapturedLog, captureLog } from '../support/capturedLog.ts';
import { distributionProblems, tablesOf } from '../support/citusRules.ts';
import { onDistributedTables, statementProblem } from '../support/distributedStatements.ts';
import { eventually } from '../support/eventually.ts';
import { holdLock } from '../support/heldLock.ts';
import { testKey } from '../support/keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

// Migrations on a database with a different history: contradictions are refused by name, failures leave nothing, an older release still starts.
describe('migrations', () => {
  let database: TestDatabase;
  let prismaDir: string;
  let captured: CapturedLog;
  beforeEach(async () => {
    captured = captureLog();
    prismaDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-migrations-'));
    mkdirSync(path.join(prismaDir, 'migrations'));
    writeFileSync(path.join(prismaDir, 'migrations', 'migration_lock.toml'), 'provider = "postgresql"\n');
    database = await createTestDatabase({ empty: true });
  });
  afterEach(async () => {
    captured.stop();
    await database.drop();
    rmSync(prismaDir, { recursive: true });
  });

  const [first, second] = ['20260101000000_first', '20260102000000_second'] as const;
  const folder = (name: string) => path.join(prismaDir, 'migrations', name);
  function write(name: string, sql: string): void {
    mkdirSync(folder(name), { recursive: true });
    writeFileSync(path.join(folder(name), 'migration.sql'), sql);
  }
  const options = () => ({ url: database.url, prismaDir, log: captured.log });
  const apply = () => applyMigrations(options());
  const look = () => pendingMigrations(options());

  async function tables(): Promise<string[]> {
    const { rows } = await database.pool.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations'",
    );
    return rows.map(({ name }) => name).sort();
  }

  test('they are applied in the order of their names, each of them is told, and only what is new comes later', async () => {
    write(second, 'ALTER TABLE a ADD COLUMN b int;');
    write(first, 'CREATE TABLE a (id int);');
    expect(await apply()).toEqual([first, second]);
    const told = captured
      .text()
      .split('\n')
      .filter((line) => line.includes('migration applied'));
    expect(told.map((line) => (JSON.parse(line) as { migration: string }).migration)).toEqual([first, second]);
    write('20260103000000_third', 'CREATE TABLE c (id int);');
    expect(await look()).toEqual(['20260103000000_third']);
    expect(await apply()).toEqual(['20260103000000_third']);
  });

  test('one whose file was edited since is refused by name, by a look and by a run, which applies nothing', async () => {
    write(first, 'CREATE TABLE a (id int);');
    await apply();
    write(first, 'CREATE TABLE a (id bigint);');
    write(second, 'CREATE TABLE b (id int);');
    await expect(look()).rejects.toThrow(`${first} was edited after it was applied`);
    await expect(apply()).rejects.toThrow(`${first} was edited after it was applied`);
    expect(await tables()).toEqual(['a']);
  });

  test('an older release starts on a newer database and says so, unless it has a migration that the other has not', async () => {
    write(first, 'CREATE TABLE a (id int);');
    write(second, 'CREATE TABLE b (id int);');
    await apply();
    rmSync(folder(second), { recursive: true });
    expect([await look(), await apply()]).toEqual([[], []]);
    expect(captured.text().split('the database is ahead of this release')).toHaveLength(3);
    write('20260103000000_other', 'CREATE TABLE c (id int);');
    const problem = `${second} was applied and is not in the folder, while 20260103000000_other is new`;
    await expect(look()).rejects.toThrow(problem);
    await expect(apply()).rejects.toThrow(problem);
    expect(await tables()).toEqual(['a', 'b']);
  });

  test('one that waits for a reader lets others pass, says who is the oldest, and goes on when the reader ends', async () => {
    write(first, 'CREATE TABLE a (id int);');
    await apply();
    write(second, 'ALTER TABLE a ADD COLUMN b int;');
    const reader = await holdLock(database.pool, 'SELECT count(*) FROM a');
    const migrating = applyMigrations({ ...options(), lockWait: { millis: 200, pauseMillis: 100 } });
    const waits = async () =>
      captured
        .text()
        .split('\n')
        .filter((line) => line.includes('waits for a lock'));
    const [line] = await eventually(waits, (lines) => lines.length >= 2);
    expect(JSON.parse(line!)).toMatchObject({ migration: second, oldest: { pid: expect.any(Number) as number } });
    // Behind a migration that waits without a limit, this statement would exceed its timeout.
    await database.pool.query('INSERT INTO a (id) VALUES (1)');
    await reader.release();
    expect(await migrating).toEqual([second]);
    expect((await database.pool.query('SELECT id, b FROM a')).rows).toEqual([{ id: 1, b: null }]);
  });

  test('one that fails leaves nothing of itself, tells where, keeps those before it, and can be mended', async () => {
    write(first, 'CREATE TABLE a (id int);');
    write(second, '-- Not concurrently.\nCREATE TABLE b (id int);\nINSERT INTO a VALUES (1 / 0);');
    await expect(apply()).rejects.toThrow(
      `Migration ${second} failed, nothing of it was kept: division by zero (SQLSTATE 22012)`,
    );
    expect(await tables()).toEqual(['a']);
    expect(await migrationStatus(options())).toEqual({ pending: [second], edited: [], missing: [], failed: [] });
    write(second, 'CREATE TABLE b (id int);\nCREATE TABLE c (id nothing);');
    await expect(apply()).rejects.toThrow('type "nothing" does not exist (SQLSTATE 42704, line 2)');
    write(second, 'CREATE TABLE b (id int);');
    expect(await apply()).toEqual([second]);
  });

  test('one that may not be in a transaction is in none; where it fails, nothing is applied before somebody has looked', async () => {
    write(first, 'CREATE TABLE a (id int);');
    write(second, 'CREATE INDEX CONCURRENTLY a_id ON a (id);');
    expect(await apply()).toEqual([first, second]);
    const third = '20260103000000_third';
    write(third, 'CREATE INDEX CONCURRENTLY a_nothing ON a (nothing);');
    await expect(apply()).rejects.toThrow(`Migration ${third} failed, it ran outside a transaction`);
    write('20260104000000_fourth', 'CREATE TABLE b (id int);');
    await expect(apply()).rejects.toThrow(`${third} began and did not finish`);
    await expect(look()).rejects.toThrow(`${third} began and did not finish`);
    expect(await tables()).toEqual(['a']);
  });
});

// The migration campaign_changes: what it makes of campaigns that were edited before it (schema.graphql, "History").
describe('migrations: campaign changes', () => {
  const own = '20261125163000_campaign_changes';
  const source = projectFile('prisma/migrations');
  const before = readdirSync(source).filter((name) => name < own || name.endsWith('.toml'));

  let database: TestDatabase;
  let prismaDir: string;
  const bring = (names: string[]) =>
    names.forEach((name) =>
      cpSync(path.join(source, name), path.join(prismaDir, 'migrations', name), { recursive: true }),
    );
  const apply = () => applyMigrations({ url: database.url, prismaDir });
  beforeAll(async () => {
    prismaDir = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-changes-'));
    database = await createTestDatabase({ empty: true });
    bring(before);
    await apply();
  });
  afterAll(async () => {
    await database.drop();
    rmSync(prismaDir, { recursive: true });
  });

  const [organization, project, application, campaign] = [1, 2, 3, 4].map(
    (n) => `0192f0c4-0000-7000-8000-00000000000${n}`,
  );
  const open = { min: null, max: null };
  const delivered = {
    name: 'A',
    priority: 0,
    trigger: { event: 'E', type: 'CUSTOM', filters: [] },
    targeting: { platforms: [], countries: ['DE'], appVersion: open },
    schedule: { startAt: null, endAt: null },
  };

  test('values where both versions were published, and otherwise no row or the name of the field', async () => {
    const { pool } = database;
    await pool.query(
      `INSERT INTO organizations (id, name) VALUES ('${organization}', 'O');
     INSERT INTO projects (id, organization_id, name) VALUES ('${project}', '${organization}', 'P');
     INSERT INTO applications (id, project_id, name, bundle_id, platform) VALUES ('${application}', '${project}', 'A', 'b', 'iOS');
     INSERT INTO campaigns (id, application_id, name) VALUES ('${campaign}', '${application}', 'A');`,
    );
    const publish = (version: number, content: object) =>
      pool.query('INSERT INTO campaign_versions VALUES ($1, $2, $3, now())', [
        campaign,
        version,
        JSON.stringify(content),
      ]);
    const line = (version: number, action: string, fields?: string[]) =>
      pool.query("SELECT append_audit_entries($1, 'a@example.com', $2)", [
        organization,
        JSON.stringify([{ action, objectType: 'campaign', objectId: campaign, details: { version, fields } }]),
      ]);
    await line(1, 'campaignEdit', ['name', 'trigger']);
    await line(2, 'campaignChangeState');
    await publish(2, delivered);
    await line(3, 'campaignEdit', ['name', 'description', 'targeting', 'schedule']);
    const targeting = { platforms: ['iOS'], countries: ['DE'], appVersion: { min: 1, max: null } };
    await publish(3, { ...delivered, name: 'B', targeting });
    await line(4, 'campaignChangeState');
    await publish(4, { ...delivered, name: 'B', targeting });
    await line(5, 'campaignEdit', []);
    await publish(5, { ...delivered, name: 'B', targeting });
    await line(7, 'campaignEdit', ['name']);
    await publish(7, { ...delivered, name: 'C', targeting });
    bring([own]);
    expect(await apply()).toEqual([own]);
    const { rows } = await pool.query('SELECT version, changes FROM campaign_changes ORDER BY version');
    expect(rows).toEqual([
      {
        version: 3,
        changes: [
          { field: 'name', before: 'A', after: 'B' },
          { field: 'description' },
          ...[
            { field: 'targeting.platforms', before: [], after: ['iOS'] },
            { field: 'targeting.appVersion', before: null, after: { min: 1, max: null } },
          ],
          { field: 'schedule' },
        ],
      },
    ]);
  });
});

// The migration to purchases that live, on a database with purchases: devices keep what they hold, and subscriptions are due.
describe('migrations: purchases', () => {
  const migration = '20261125170000_purchases_that_live';
  const [application, one, other] = [randomUUID(), randomUUID(), randomUUID()];

  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ empty: true, plain: true });
    const before = await mkdtemp(path.join(tmpdir(), 'campaign-analytics-migrations-'));
    await cp(projectFile('prisma'), before, { recursive: true });
    const later = (await readdir(path.join(before, 'migrations'))).filter(
      (name) => /^\d/.test(name) && name >= migration,
    );
    for (const name of later) await rm(path.join(before, 'migrations', name), { recursive: true });
    await applyMigrations({ url: database.url, prismaDir: before });
    await rm(before, { recursive: true });
    await fill();
    expect(await applyMigrations({ url: database.url, prismaDir: projectFile('prisma') })).toContain(migration);
  });
  afterAll(() => database.drop());

  /** A subscription of which a renewal was uploaded, an own purchase, and one that waits. */
  async function fill(): Promise<void> {
    await database.pool.query(`
    INSERT INTO store_transactions (id, application_id, state, line_id, resolved_at) VALUES
      ('renewal', '${application}', 'RESOLVED', 'line', now()), ('own', '${application}', 'RESOLVED', 'own', now()),
      ('waits', '${application}', 'PENDING', NULL, NULL)`);
    await database.pool.query(`
    INSERT INTO store_transaction_devices (device_key, transaction_id, application_id, device_id, external_id) VALUES
      ('${one}', 'renewal', '${application}', 'one', 'A'), ('${other}', 'renewal', '${application}', 'other', NULL),
      ('${one}', 'own', '${application}', 'one', NULL), ('${one}', 'waits', '${application}', 'one', NULL)`);
    await database.pool.query(`
    INSERT INTO store_entitlements (line_id, application_id, product_id, kind, environment, purchased_at, expires_at,
      signed_at, auto_renew) VALUES
      ('line', '${application}', 'monthly', 'AUTO_RENEWABLE', 'PRODUCTION', now() - interval '40 days',
        now() - interval '10 days', now(), true),
      ('own', '${application}', 'gold', 'NON_CONSUMABLE', 'SANDBOX', now() - interval '9 days', NULL, now(), NULL),
      ('running', '${application}', 'monthly', 'AUTO_RENEWABLE', 'PRODUCTION', now() - interval '9 days',
        now() + interval '21 days', now() - interval '9 days', true)`);
  }

  test('each device holds what it held', async () => {
    const lines = async (deviceKey: string) =>
      (await entitlementsOfDevice(database.pool, { deviceKey, limit: 10, now: new Date() })).map(({ id }) => id).sort();
    expect([await lines(one), await lines(other)]).toEqual([['line', 'own'], ['line']]);
    const transactions = await storeTransactionsOfDevice(database.pool, { deviceKey: one, limit: 10 });
    expect(transactions.map(({ id, state, reason, productId }) => [id, state, reason, productId]).sort()).toEqual([
      ['own', 'RESOLVED', null, 'gold'],
      ['renewal', 'RESOLVED', null, null],
      ['waits', 'PENDING', 'waiting_for_turn', null],
    ]);
  });

  test('the subscription is looked up soon, and nothing else is', async () => {
    const due = await database.prisma.storeEntitlement.findMany({ where: { nextLookUpAt: { lte: new Date() } } });
    expect(due.map(({ lineId }) => lineId)).toEqual(['line']);
  });

  test('a subscription that runs stays active after its end until the look-up of the end has ended', async () => {
    const lines = await database.prisma.storeEntitlement.findMany({ where: { lookedUpAt: { not: null } } });
    expect(lines.map(({ lineId, lookedUpAt }) => [lineId, lookedUpAt])).toEqual([['running', lines[0]!.signedAt]]);
  });

  test('no event tells later what each line was before the events', async () => {
    const lines = await database.prisma.storeEntitlement.findMany({ orderBy: { lineId: 'asc' } });
    expect(lines.map(({ lineId, toldActive, tellAt }) => [lineId, toldActive, tellAt])).toEqual([
      ['line', false, null],
      ['own', true, null],
      ['running', true, lines.at(-1)!.expiresAt],
    ]);
    expect(await tellEndsByClock(database.pool)).toBe(0);
  });

  test('each upload is a claim, and each product is known', async () => {
    const claims = await database.prisma.storeClaim.findMany({
      orderBy: [{ transactionId: 'asc' }, { deviceId: 'asc' }],
    });
    expect(
      claims.map(({ transactionId, deviceId, externalId, arrivals }) => [
        transactionId,
        deviceId,
        externalId,
        arrivals.length,
      ]),
    ).toEqual([
      ['own', 'one', '', 1],
      ['renewal', 'one', 'A', 1],
      ['renewal', 'other', '', 1],
      ['waits', 'one', '', 1],
    ]);
    const products = await database.prisma.storeProduct.findMany({ orderBy: { productId: 'asc' } });
    expect(products.map(({ productId, kind }) => [productId, kind])).toEqual([
      ['gold', 'NON_CONSUMABLE'],
      ['monthly', 'AUTO_RENEWABLE'],
    ]);
  });
});

// The migration to memberships: roles, statuses, sessions and mailed tokens of users from before it go on working.
describe('memberships: migration', () => {
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
      expect(memberships.map(({ userId, invitedEmail, role, status }) => [userId, invitedEmail, role, status])).toEqual(
        [
          [owner, null, 'owner', 'active'],
          [null, 'invited@example.com', 'editor', 'invited'],
          [null, 'withdrawn@example.com', 'viewer', 'disabled'],
          [disabled, null, 'viewer', 'disabled'],
          [passwordless, null, 'admin', 'active'],
          [half, null, 'viewer', 'disabled'],
        ],
      );
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
});

// The migration that numbers refresh tokens: a login of an earlier version goes on, and its used tokens stay used.
describe('tokenGenerations', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.stop());

  const migration = readFileSync(
    projectFile('prisma/migrations/20261125150300_token_generations/migration.sql'),
    'utf8',
  );

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
});

// Re-encrypting a column: every row in its turn, whatever their number, and no erased secret.
describe('reencryptColumn', () => {
  const old = createEncryption(testKey('old'));
  const encryption = createEncryption(testKey('new'), testKey('old'));
  const notes = { table: 'notes', id: 'id', column: 'sealed' };
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase({ empty: true });
    await database.pool.query('CREATE TABLE notes (id uuid NOT NULL, sealed bytea NOT NULL)');
  });
  afterEach(() => database.drop());

  async function insert(rows: { id: string; sealed: Buffer }[]): Promise<void> {
    const values = [rows.map(({ id }) => id), rows.map(({ sealed }) => sealed)];
    await database.pool.query('INSERT INTO notes SELECT * FROM unnest($1::uuid[], $2::bytea[])', values);
  }

  const sealed = (id: string) => ({ id, sealed: Buffer.from(old.encrypt('a secret', id)) });

  test('rows that stand in no order are all sealed anew', async () => {
    await insert(Array.from({ length: 1_200 }, () => sealed(randomUUID())));
    expect(await reencryptColumn(database.pool, encryption, notes)).toEqual({ reencrypted: 1_200, unreadable: 0 });
    expect(await reencryptColumn(database.pool, encryption, notes)).toEqual({ reencrypted: 0, unreadable: 0 });
  });

  test('an erased secret stays erased, and is not one that cannot be read', async () => {
    await insert([sealed(randomUUID()), { id: randomUUID(), sealed: Buffer.alloc(0) }]);
    expect(await reencryptColumn(database.pool, encryption, notes)).toEqual({ reencrypted: 1, unreadable: 0 });
    const { rowCount } = await database.pool.query("SELECT FROM notes WHERE sealed = ''");
    expect(rowCount).toBe(1);
  });

  test('those that cannot be read are counted once each, and left as they are beside the others', async () => {
    const lost = createEncryption(testKey('lost'));
    const rows = Array.from({ length: 600 }, () => randomUUID()).map((id, index) =>
      index % 2 ? sealed(id) : { id, sealed: Buffer.from(lost.encrypt('a secret', id)) },
    );
    await insert(rows);
    expect(await reencryptColumn(database.pool, encryption, notes)).toEqual({ reencrypted: 300, unreadable: 300 });
    expect(await reencryptColumn(database.pool, encryption, notes)).toEqual({ reencrypted: 0, unreadable: 300 });
    const { rows: left } = await database.pool.query<{ id: string; sealed: Buffer }>('SELECT id, sealed FROM notes');
    for (const { id, sealed: text } of left)
      expect(rows.findIndex((row) => row.id === id) % 2 ? encryption.decrypt(text, id) : lost.decrypt(text, id)).toBe(
        'a secret',
      );
  });
});

// The plan of a Citus cluster against the migrated schema: every table has a place, and Citus refuses none.
describe('tablePlacement', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ plain: true });
    await ensureEventPartitions(database.pool);
  });
  afterAll(() => database.drop());

  test('every table of the migrated schema has its place, and no other', async () => {
    expect(Object.keys(tablePlacement).sort()).toEqual((await tablesOf(database.pool)).sort());
  });

  test('what is distributed keeps the rules of Citus', async () => {
    expect(await distributionProblems(database.pool, distributedTables)).toEqual([]);
  });

  test('no view of analytics joins a local table with a distributed one', async () => {
    const { rows } = await database.pool.query<{ name: string; text: string }>(
      `SELECT relname AS name, pg_get_viewdef(oid, true) AS text FROM pg_class
     WHERE relkind = 'v' AND relnamespace = 'analytics'::regnamespace`,
    );
    const views = onDistributedTables(rows);
    expect(views.map(({ name }) => name).sort()).toEqual(['devices', 'events', 'firsts', 'sessions']);
    expect(views.map(({ name, text }) => [name, statementProblem(text)]).filter(([, problem]) => problem)).toEqual([]);
  });

  test('every table with a device_key is distributed by it, beside the devices', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
     WHERE a.attname = 'device_key' AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
    );
    const byDevice = distributedTables.filter(({ column }) => column === 'device_key');
    expect(byDevice.map(({ name }) => name).sort()).toEqual(rows.map(({ name }) => name).sort());
    expect(new Set(byDevice.map(({ colocateWith }) => colocateWith))).toEqual(new Set(['devices']));
  });

  test.each([
    ['CREATE UNIQUE INDEX one ON sessions (id)', 'sessions: the unique key one lacks device_key'],
    [
      'ALTER TABLE sessions DROP CONSTRAINT sessions_pkey, ALTER device_key DROP NOT NULL',
      'sessions: the column device_key may be null',
    ],
    [
      'ALTER TABLE devices ADD CONSTRAINT two FOREIGN KEY (application_id) REFERENCES applications',
      'devices: the foreign key two crosses nodes',
    ],
    [
      'CREATE TRIGGER three BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse_update()',
      'events: the trigger three',
    ],
    ['ALTER TABLE attribution_reports ENABLE ROW LEVEL SECURITY', 'attribution_reports: a rule or row security'],
    ['ALTER TABLE devices ADD COLUMN four serial', 'devices: the sequence of four is no bigint'],
    ['ALTER TABLE sessions ADD COLUMN five bigint GENERATED ALWAYS AS IDENTITY', 'sessions: the generated column five'],
    [
      "CREATE TABLE six PARTITION OF events FOR VALUES FROM ('1990-01-01') TO ('1990-01-08') PARTITION BY LIST (device_key)",
      'events: the partition six has partitions',
    ],
    [
      'ALTER TABLE store_transaction_devices ALTER device_key TYPE text',
      'store_transaction_devices: text is not the type of devices',
    ],
  ])('%s would be seen', async (change, problem) => {
    const client = await database.pool.connect();
    try {
      await client.query(`BEGIN; ${change}`);
      expect(await distributionProblems(client, distributedTables)).toEqual([problem]);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });
});
