// Every field of the public API's bodies must be stored, and the admin API must return it.
import type { OpenAPIV3 } from 'openapi-types';
import { canary, canaryOperation, type Canaries } from '../support/canaries.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { adminSchema } from '../support/adminSchema.ts';

type Schema = OpenAPIV3.SchemaObject;

const notShown = [
  // Tells only whether the properties are the whole set, and is not stored.
  'reportSessions.user.lastSyncTS',
  // The same instant as `timestamp`, and not stored.
  'reportSessions.sessions.events.date',
  // Stored, but not returned.
  'reportAttribution.system.os_version',
  'reportAttribution.device.external_id',
  'reportStoreTransactions.device.external_id',
];

const schema = adminSchema();

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());

/** A body in which every leaf has a unique value; `places` maps the text of each value in a response to its place. */
function tokenBody(schema: Schema, place: string, places: Canaries): unknown {
  const next = places.size + 1;
  const named = (text: string): string => {
    places.set(text, place);
    return text;
  };
  if (schema.oneOf) return tokenBody(schema.oneOf[0] as Schema, place, places);
  if (schema.enum) return named(String(schema.enum.at(-1)));
  if (schema.type === 'array') return [tokenBody(schema.items as Schema, place, places)];
  if (schema.type === 'object') {
    const members = Object.entries(schema.properties ?? {});
    // The service stores an object without declared fields as it is.
    if (members.length === 0) return { [canary(places, `${place} (a key)`)]: canary(places, place) };
    return Object.fromEntries(
      members.map(([name, property]) => [name, tokenBody(property as Schema, `${place}.${name}`, places)]),
    );
  }
  if (schema.type === 'integer') return Number(named(String(770_000 + next)));
  const instant = new Date(Date.UTC(2026, 8, 10) + next * 1_000);
  if (schema.type === 'number' && /\.(timestamp|lastSyncTS)$/.test(place))
    return Date.parse(named(instant.toISOString())) / 1_000;
  if (schema.type === 'number') return Number(named(String(770_000 + next)));
  if (schema.format === 'date-time') return named(instant.toISOString());
  return schema.type === 'boolean' ? true : canary(places, place);
}

interface Report {
  device: { id: string };
  sessions: { id: string }[];
}

/** The body schemas, by operation. */
async function bodySchemas(): Promise<Map<string, Schema>> {
  const { definition } = await loadPublicDocument();
  const posts = Object.values(definition.paths).flatMap((item) => item?.post ?? []);
  // A notification of the store is verified first. It has no field that a device shows.
  const operations = posts.filter(({ operationId }) => operationId !== 'receiveStoreNotification');
  return new Map(
    operations.map(({ operationId, requestBody }) => {
      const { content } = requestBody as OpenAPIV3.RequestBodyObject;
      return [operationId!, content['application/json']!.schema as Schema];
    }),
  );
}

async function send(operationId: string, body: unknown): Promise<void> {
  const answer = await service.client.send(operationId, { 'X-Api-Key': service.application.key.public }, body);
  expect([operationId, answer.body]).toEqual([operationId, {}]);
}

async function readDevice(id: string): Promise<string> {
  const given: Record<string, unknown> = { 'device.applicationId': service.application.id, 'device.id': id };
  const making = { canaries: new Map(), fixed: (path: string) => given[path] };
  const { query, variables } = canaryOperation(schema, { kind: 'query', name: 'device' }, making);
  const { text, errors } = await viewer.ask(query, variables);
  expect(errors).toEqual([]);
  return text;
}

test('a device shows every field of its uploads', async () => {
  const places: Canaries = new Map();
  const id = 'the-device';
  for (const [operationId, schema] of await bodySchemas()) {
    const body = tokenBody(schema, operationId, places) as Report;
    body.device.id = id;
    await send(operationId, body);
  }
  const text = await readDevice(id);
  const missing = [...places].filter(
    ([token, place]) => !text.toLowerCase().includes(token.toLowerCase()) && !place.endsWith('.device.id'),
  );
  expect(missing.map(([, place]) => place).sort()).toEqual([...notShown].sort());
});

test('every field of a session that comes twice is merged, in one upload or in two, whichever is first', async () => {
  const reports = (await bodySchemas()).get('reportSessions')!;
  const places: Canaries = new Map();
  const [one, other] = [1, 2].map(() => tokenBody(reports, 'reportSessions', places) as Report);
  const sessions = [...one!.sessions, ...other!.sessions].map((session) => ({ ...session, id: 'the-session' }));
  expect(sessions[0]).not.toEqual(sessions[1]);
  const stored = async (id: string, uploads: object[][]) => {
    for (const sessions of uploads) await send('reportSessions', { ...one, device: { ...one!.device, id }, sessions });
    const text = await readDevice(id);
    const { data } = JSON.parse(text.replace(/"receivedAt":"[^"]*"/g, '"receivedAt":null')) as {
      data: { device: { sessions: { events: { id: string }[] }[] } };
    };
    // They come in the order of the uploads.
    const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1);
    return data.device.sessions.map((session) => ({ ...session, events: session.events.toSorted(byId) }));
  };
  const together = await stored('together', [sessions]);
  expect(together).toHaveLength(1);
  expect(await stored('one by one', [[sessions[0]!], [sessions[1]!]])).toEqual(together);
  expect(await stored('the other way', [[sessions[1]!], [sessions[0]!]])).toEqual(together);
});
