// A workspace to begin with outside production: one organization, project, application with a key, and a login.
import { demoLogin, demoUserId } from '../accounts/signupPolicy.ts';
import { foundOrganization } from '../accounts/members.ts';
import { insertUser } from '../accounts/usersStore.ts';
import { raw, sql, type SqlConnection } from '../platform/database/sql.ts';
import { inTransaction, type AdminPool, type AdminTransaction } from '../platform/database/transaction.ts';
import type { Encryption } from '../platform/encryption.ts';
import { newId } from '../platform/inputRules.ts';
import { hashPassword } from '../platform/passwordHash.ts';
import { insertApiKey, newApiKey } from '../workspace/applicationDirectory.ts';

export interface DemoWorkspace {
  application: { id: string; name: string };
  key: { public: string; secret: string };
  login: { email: string; password: string };
}

type Found = Pick<DemoWorkspace, 'application' | 'key'>;

const ids = {
  organization: '00000000-0000-7000-8000-000000000001',
  user: demoUserId,
  project: '00000000-0000-7000-8000-000000000003',
  application: '00000000-0000-7000-8000-000000000004',
};

const applicationName = 'Demo application';

/**
 * Creates the missing rows and returns the same keys at every start. Two processes that start together do not collide.
 * A developer who tries the admin API may revoke the key or delete the application: the next start creates new ones.
 */
export async function ensureDemoWorkspace(adminPool: AdminPool, encryption: Encryption): Promise<DemoWorkspace> {
  const found = (await findKeyed(adminPool, encryption)) ?? (await createMissing(adminPool, encryption));
  return { ...found, login: demoLogin };
}

/**
 * The demo's application, even under a new name, or the application that replaced it: `npm run demo` creates other
 * applications in the project.
 */
async function findApplication(connection: SqlConnection): Promise<Found['application'] | null> {
  const { rows } = await connection.query<Found['application']>(sql`/* development: findApplication */
    SELECT a.id, a.name FROM applications a JOIN projects p ON p.id = a.project_id
    WHERE a.deleted_at IS NULL AND p.organization_id = ${ids.organization}
      AND (a.id = ${ids.application} OR a.name = ${applicationName})
    ORDER BY a.created_at, a.id LIMIT 1`);
  return rows[0] ?? null;
}

/** Null when no application has a live key that can be decrypted. */
async function findKeyed(connection: SqlConnection, encryption: Encryption): Promise<Found | null> {
  const application = await findApplication(connection);
  if (!application) return null;
  const { rows } = await connection.query<{
    id: string;
    public: string;
    sealed: Buffer;
  }>(sql`/* development: findKeys */
    SELECT id, public, secret_encrypted AS sealed FROM api_keys
    WHERE application_id = ${application.id} AND revoked_at IS NULL ORDER BY created_at, id`);
  for (const { id, public: publicKey, sealed } of rows) {
    const secret = readable(encryption, { id, sealed });
    if (secret !== null) return { application, key: { public: publicKey, secret } };
  }
  return null;
}

/** Null when ENCRYPTION_KEY has changed: another key then serves as well. */
function readable(encryption: Encryption, { id, sealed }: { id: string; sealed: Buffer }): string | null {
  try {
    return encryption.decrypt(sealed, id);
  } catch {
    return null;
  }
}

async function createMissing(adminPool: AdminPool, encryption: Encryption): Promise<Found> {
  const passwordHash = await hashPassword(demoLogin.password);
  return inTransaction(adminPool, async (transaction) => {
    await transaction.query(`/* development: lock */ SELECT pg_advisory_xact_lock(hashtext('demo_workspace'))`);
    const found = await findKeyed(transaction, encryption);
    if (found) return found;
    if ((await stateOf(transaction, 'organizations', ids.organization)) === 'free') {
      await createOrganization(transaction, passwordHash);
    }
    const application = (await findApplication(transaction)) ?? (await createApplication(transaction));
    const key = newApiKey();
    await insertApiKey(transaction, encryption, { applicationId: application.id, key });
    return { application, key };
  });
}

/** A deleted row keeps its id. */
async function stateOf(
  transaction: AdminTransaction,
  table: 'organizations' | 'projects' | 'applications',
  id: string,
): Promise<'free' | 'live' | 'deleted'> {
  const { rows } = await transaction.query<{ deleted: boolean }>(sql`/* development: stateOf */
    SELECT to_jsonb(t) ->> 'deleted_at' IS NOT NULL AS deleted FROM ${raw(table)} t WHERE id = ${id}`);
  if (!rows[0]) return 'free';
  return rows[0].deleted ? 'deleted' : 'live';
}

async function createOrganization(transaction: AdminTransaction, passwordHash: string): Promise<void> {
  const now = new Date();
  const user = {
    id: ids.user,
    email: demoLogin.email,
    name: 'Demo',
    passwordHash,
    emailVerifiedAt: now,
    createdAt: now,
  };
  if (!(await insertUser(transaction, user))) throw new Error(`${demoLogin.email} has another account`);
  const organization = { id: ids.organization, name: 'Demo organization' };
  await foundOrganization(transaction, { ...organization, userId: ids.user, membershipId: ids.user, now });
}

/** Takes the well-known ids when they are free. */
async function createApplication(transaction: AdminTransaction): Promise<Found['application']> {
  const projectState = await stateOf(transaction, 'projects', ids.project);
  const projectId = projectState === 'deleted' ? newId() : ids.project;
  if (projectState !== 'live') {
    await transaction.query(sql`/* development: createProject */
      INSERT INTO projects (id, organization_id, name) VALUES (${projectId}, ${ids.organization}, 'Demo project')`);
  }
  const id = (await stateOf(transaction, 'applications', ids.application)) === 'free' ? ids.application : newId();
  await transaction.query(sql`/* development: createApplication */
    INSERT INTO applications (id, project_id, name, bundle_id, platform)
    VALUES (${id}, ${projectId}, ${applicationName}, 'com.example.demo', 'iOS')`);
  return { id, name: applicationName };
}
