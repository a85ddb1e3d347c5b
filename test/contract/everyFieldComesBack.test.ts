// What an upload may hold is stored and shown: every field of the public API's bodies comes back through the admin API.
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import type { OpenAPIV3 } from 'openapi-types';
import { canary, canaryOperation, type Canaries } from '../support/canaries.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

type Schema = OpenAPIV3.SchemaObject;

const notShown = [
  // Says whether the properties are a whole set, and is not stored.
  'reportSessions.user.lastSyncTS',
  // The same instant as `timestamp`, and not stored.
  'reportSessions.sessions.events.date',
  // Stored.
  'reportAttribution.system.os_version',
  'reportAttribution.device.external_id',
  'reportStoreTransactions.device.external_id',
];

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

/** A body whose every leaf has a value that no other one has; `places` says where, by the text that an answer has of it. */
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
    // An object without fields of its own is passed through.
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
  if (schema.format === 'date') return named(instant.toISOString().slice(0, 10));
  return schema.type === 'boolean' ? true : canary(places, place);
}

test('a device shows every field of its uploads', async () => {
  const { definition } = await loadPublicDocument();
  const places: Canaries = new Map();
  const id = 'the-device';
  for (const { post } of Object.values(definition.paths) as { post?: OpenAPIV3.OperationObject }[]) {
    if (!post) continue;
    const { content } = post.requestBody as OpenAPIV3.RequestBodyObject;
    const body = tokenBody(content['application/json']!.schema as Schema, post.operationId!, places) as {
      device: { id: string };
    };
    body.device.id = id;
    const answer = await service.client.send(post.operationId!, { 'X-Api-Key': service.application.key.public }, body);
    expect([post.operationId, answer]).toMatchObject([post.operationId, { status: 200 }]);
  }
  const viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  const schema = buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'));
  const given: Record<string, unknown> = { 'device.applicationId': service.application.id, 'device.id': id };
  const making = { canaries: new Map(), fixed: (path: string) => given[path] };
  const { query, variables } = canaryOperation(schema, { kind: 'query', name: 'device' }, making);
  const { text, errors } = await viewer.ask(query, variables);
  expect(errors).toEqual([]);
  const missing = [...places].filter(
    ([token, place]) => !text.toLowerCase().includes(token.toLowerCase()) && !place.endsWith('.device.id'),
  );
  expect(missing.map(([, place]) => place).sort()).toEqual([...notShown].sort());
});
