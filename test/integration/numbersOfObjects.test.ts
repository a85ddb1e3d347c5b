// The numbers of objects of each kind (schema.graphql, "Numbers of objects"): the last one is made, and of many at once only that one.
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let owner: TestUser;
let projectId: string;
beforeAll(async () => {
  service = await startTestService();
  owner = await newUser(service, await organizationOf(service, service.application.id));
  const { prisma } = service.database;
  projectId = (await prisma.application.findUniqueOrThrow({ where: { id: service.application.id } })).projectId;
});
afterAll(() => service.stop());

interface Kind {
  most: number;
  path: string;
  /** Rows of the place at the begin. */
  there: number;
  /** A place of the kind, for `$1`. */
  place: () => string;
  /** Inserts `$2` rows. */
  fill: string;
  create: (at: number) => string;
}

const applicationId = () => service.application.id;
const kinds: Record<string, Kind> = {
  projects: {
    ...{ most: 1_000, path: 'input', there: 1, place: () => owner.organizationId },
    fill: `INSERT INTO projects (id, organization_id, name) SELECT gen_random_uuid(), $1::uuid, 'x' FROM generate_series(1, $2)`,
    create: () => 'projectEdit(input: { name: "x" }) { id }',
  },
  applications: {
    ...{ most: 1_000, path: 'input.projectId', there: 1, place: () => projectId },
    fill: `INSERT INTO applications (id, project_id, name, bundle_id, platform)
      SELECT gen_random_uuid(), $1::uuid, 'x', 'x', 'iOS' FROM generate_series(1, $2)`,
    create: () =>
      `applicationEdit(input: { projectId: "${projectId}", name: "x", bundleId: "x", platform: "iOS" }) { id }`,
  },
  keys: {
    ...{ most: 1_000, path: 'applicationId', there: 1, place: applicationId },
    fill: `INSERT INTO api_keys (id, application_id, public, secret_encrypted)
      SELECT gen_random_uuid(), $1::uuid, gen_random_uuid()::text, '' FROM generate_series(1, $2)`,
    create: () => `apiKeyCreate(applicationId: "${applicationId()}") { public }`,
  },
  'service tokens': {
    ...{ most: 1_000, path: 'input', there: 0, place: () => owner.organizationId },
    fill: `INSERT INTO service_tokens (id, organization_id, name, role, hash, created_by)
      SELECT gen_random_uuid(), $1::uuid, 'x', 'viewer', gen_random_uuid()::text::bytea, 'x' FROM generate_series(1, $2)`,
    create: () => 'serviceTokenCreate(input: { name: "x", role: "viewer" }) { token }',
  },
  campaigns: {
    ...{ most: 10_000, path: 'input.applicationId', there: 0, place: applicationId },
    fill: `INSERT INTO campaigns (id, application_id, name) SELECT gen_random_uuid(), $1::uuid, 'x' FROM generate_series(1, $2)`,
    create: () => `campaignEdit(input: { applicationId: "${applicationId()}", name: "x" }) { id }`,
  },
  products: {
    ...{ most: 10_000, path: 'input.applicationId', there: 0, place: applicationId },
    fill: `INSERT INTO store_products (application_id, product_id) SELECT $1::uuid, 'p' || n FROM generate_series(1, $2) n`,
    create: (at) =>
      `productEdit(input: { applicationId: "${applicationId()}", productId: "new-${at}", durationDays: 1 }) { productId }`,
  },
  users: {
    ...{ most: 10_000, path: 'input', there: 1, place: () => owner.organizationId },
    fill: `INSERT INTO memberships (id, organization_id, invited_email, role, status)
      SELECT gen_random_uuid(), $1::uuid, 'u' || n || '@example.com', 'viewer', 'invited' FROM generate_series(1, $2) n`,
    create: (at) => `userInvite(input: { email: "new-${at}@example.com", role: "viewer" }) { email }`,
  },
  organizations: {
    ...{ most: 100, path: 'input', there: 1, place: () => owner.id },
    fill: `WITH made AS (INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'x' FROM generate_series(1, $2) RETURNING id)
      INSERT INTO memberships (id, organization_id, user_id, role, status)
      SELECT gen_random_uuid(), id, $1::uuid, 'owner', 'active' FROM made`,
    create: () => 'organizationCreate(input: { name: "x" }) { token }',
  },
};

test.each(Object.entries(kinds))('%s', async (objects, { most, path, there, place, fill, create }) => {
  await service.database.pool.query(fill, [place(), most - there - 1]);
  const ask = (at: number) => owner.ask(`mutation { ${create(at)} }`);
  const answers = await Promise.all(Array.from({ length: 4 }, (_, at) => ask(at)));
  const refused = answers.filter(({ errors }) => errors.length > 0);
  expect(refused).toHaveLength(3);
  const fields = [{ path, message: `has ${most} ${objects} already` }];
  for (const { errors } of refused) expect(errors[0]!.extensions).toEqual({ code: 'BAD_USER_INPUT', fields });
});

test('an edit needs no room, and an application does not move into a full project', async () => {
  const full = await newUser(service, await newOrganization(service));
  const { data } = await full.ask('mutation { projectEdit(input: { name: "Full" }) { id } }');
  const { id } = data!['projectEdit'] as { id: string };
  await service.database.pool.query(kinds['applications']!.fill, [id, 1_000]);
  const { rows } = await service.database.pool.query<{ id: string }>(
    'SELECT id FROM applications WHERE project_id = $1 LIMIT 1',
    [id],
  );
  const edit = (input: string) => full.ask(`mutation { applicationEdit(input: { ${input} }) { id } }`);
  expect((await edit(`id: "${rows[0]!.id}", projectId: "${id}", name: "y"`)).errors).toEqual([]);
  const other = (await full.ask('mutation { projectEdit(input: { name: "Other" }) { id } }')).data!['projectEdit'] as {
    id: string;
  };
  const fields = `projectId: "${other.id}", name: "x", bundleId: "x", platform: "iOS"`;
  const made = (await edit(fields)).data!['applicationEdit'] as { id: string };
  const { errors } = await edit(`id: "${made.id}", projectId: "${id}"`);
  expect(errors[0]!.extensions['fields']).toEqual([
    { path: 'input.projectId', message: 'has 1000 applications already' },
  ]);
});
