// The limits of a response count Campaign.history: each change, each changed field and the length of the values (schema.graphql, "Responses").
import { storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());

const fill = (id: string, { lines, changes }: { lines: number; changes: string }) =>
  service.database.pool.query(
    `WITH line AS (
       INSERT INTO audit_entries (organization_id, at, actor, action, object_type, object_id, details)
       SELECT $1, now() + n * interval '1 ms', 'a@example.com', 'campaignEdit', 'campaign', $2::uuid::text,
         jsonb_build_object('version', n + 1, 'fields', '["name"]'::jsonb) FROM generate_series(1, $3::integer) n)
     INSERT INTO campaign_changes SELECT $2, n + 1, ${changes} FROM generate_series(1, $3::integer) n`,
    [viewer.organizationId, id, lines],
  );
const refusal = async (query: string) =>
  (await viewer.ask(query)).errors.map(({ extensions: { code, fields } }) => [
    code,
    (fields as { message: string }[])[0]!.message,
  ]);

test('they count each change and each field', async () => {
  const { id } = await storeCampaign(service);
  const field = `jsonb_build_object('field', 'name', 'before', 1, 'after', 2)`;
  await fill(id, { lines: 200, changes: `jsonb_build_array(${Array(9).fill(field).join(', ')})` });
  const aliases = (count: number) =>
    Array.from({ length: count }, (_, at) => `a${at}: history(limit: 200) { at }`).join(' ');
  expect(await refusal(`{ campaign(id: "${id}") { ${aliases(9)} } }`)).toEqual([]);
  expect(await refusal(`{ campaign(id: "${id}") { ${aliases(10)} } }`)).toEqual([
    ['BAD_USER_INPUT', expect.stringContaining('20000 objects')],
  ]);
});

test('they measure the values, and the database sends none beyond the room', async () => {
  const { id } = await storeCampaign(service);
  const changes = `jsonb_build_array(jsonb_build_object('field', 'action.payload', 'before', null, 'after', repeat('x', 100000)))`;
  await fill(id, { lines: 200, changes });
  expect(await refusal(`{ campaign(id: "${id}") { history(limit: 150) { changes { after } } } }`)).toEqual([]);
  expect(await refusal(`{ campaign(id: "${id}") { history(limit: 200) { at } } }`)).toEqual([
    ['BAD_USER_INPUT', expect.stringContaining('16777216 bytes')],
  ]);
});

test.each([0, 201, -1])('limit %s is refused', async (limit) => {
  const { id } = await storeCampaign(service);
  const { errors } = await viewer.ask(`{ campaign(id: "${id}") { history(limit: ${limit}) { at } } }`);
  expect(errors.map(({ extensions: { code, fields } }) => [code, fields])).toEqual([
    ['BAD_USER_INPUT', [{ path: 'limit', message: 'must be 1 to 200' }]],
  ]);
});
