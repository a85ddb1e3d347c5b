// The migration campaign_changes: what it makes of campaigns that were edited before it (schema.graphql, "History").
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { applyMigrations } from '../../src/platform/database/migrations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';

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
