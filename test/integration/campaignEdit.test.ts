// mutation campaignEdit over HTTP: drafts, edits of drafts, and the returned values.
import { newCampaignEditor, whole, type CampaignEditor } from '../support/campaignEdits.ts';
import { fetchConfig, storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';

let service: TestService;
let editor: CampaignEditor;
let now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  editor = await newCampaignEditor(service);
});
afterAll(() => service.stop());
beforeEach(async () => {
  now = new Date();
  await service.database.prisma.campaign.deleteMany();
});

const at = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

const delivered = async () => (await fetchConfig(service)).body.campaigns;

test('a new campaign is a draft with what is given, and nothing else', async () => {
  const { id, ...fields } = await editor.create();
  expect(fields).toEqual({
    application: { id: service.application.id },
    name: 'A',
    description: null,
    state: 'DRAFT',
    version: 1,
    priority: 0,
    trigger: null,
    targeting: null,
    frequency: null,
    schedule: null,
    action: null,
    createdAt: now.toISOString(),
    updatedAt: now.toISOString(),
    allowedTransitions: ['SCHEDULED', 'ACTIVE', 'ARCHIVED'],
  });
  expect(await editor.create(whole)).toMatchObject({ ...whole, version: 1 });
  expect((await editor.create({ id: null, expectedVersion: null })).id).not.toBe(id);
  expect(await delivered()).toEqual([]);
});

test('an edit changes what is given, clears what is null and raises the version, also with nothing given', async () => {
  const { id } = await editor.create(whole);
  now = at(1);
  const later = { version: 2, updatedAt: now.toISOString() };
  expect(await editor.edited({ id, name: ' Other ' })).toMatchObject({ ...whole, name: 'Other', ...later });
  expect(await editor.edited({ id, applicationId: service.application.id, expectedVersion: 2 })).toMatchObject({
    version: 3,
  });
  const nulls = { description: null, trigger: null, targeting: null, frequency: null, schedule: null, action: null };
  const cleared = await editor.edited({ id, ...nulls, priority: null });
  expect(cleared).toMatchObject({ ...nulls, name: 'Other', priority: 0, version: 4 });
});

test('the objects are replaced as a whole', async () => {
  const { id } = await editor.create(whole);
  const objects = {
    targeting: { countries: ['AT'] },
    frequency: { total: 9 },
    schedule: { endAt: null },
    action: { type: 'close' },
  };
  expect(await editor.edited({ id, ...objects })).toMatchObject({
    trigger: whole.trigger,
    targeting: { platforms: [], appVersion: null, countries: ['AT'], userProperties: [] },
    frequency: { perSession: null, perDay: null, total: 9, cooldownSeconds: null },
    schedule: null,
    action: { type: 'close', payload: null, blocking: false, deadlineSeconds: null },
  });
});

test('any payload comes back as the same value, to the dashboard and to devices', async () => {
  const payloads = [
    ...[null, '', 0, false, [], {}, 'x'.repeat(65_534), [1.1, -0.1, 1e-7, 5e-324, 2 ** 53 - 1, 1 - 2 ** 53]],
    JSON.parse('{"__proto__":{"constructor":1},"a":{"toString":null},"10":1,"9":2}') as object,
    JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`) as unknown[],
  ];
  const { id } = await storeCampaign(service);
  for (const payload of payloads) {
    const { action } = await editor.edited({ id, action: { type: 'a', payload } });
    expect(JSON.stringify(sorted((action as { payload: unknown }).payload))).toBe(JSON.stringify(sorted(payload)));
    const [campaign] = await delivered();
    expect(JSON.stringify(sorted(campaign!.action.payload))).toBe(JSON.stringify(sorted(payload)));
  }
  const literal = `{ a: 1.10, b: 9007199254740991, __proto__: "p" }`;
  const { data } = await editor.user.ask(
    `mutation { campaignEdit(input: { id: "${id}", action: { type: "a", payload: ${literal} } }) { action { payload } } }`,
  );
  expect(JSON.stringify(data)).toContain('{"a":1.1,"b":9007199254740991,"__proto__":"p"}');
});

/** Sorts members by name, an own `__proto__` included, because jsonb has its own order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.keys(value)
    .sort()
    .map((key) => [key, sorted((value as Record<string, unknown>)[key])]);
}

test('a campaign names who created it and who changed it last', async () => {
  const colleague = await newUser(service, await organizationOf(service, service.application.id), 'editor');
  const input = `{ applicationId: "${service.application.id}", name: "A" }`;
  const created = await colleague.ask(`mutation { campaignEdit(input: ${input}) { id createdBy updatedBy } }`);
  const { id, ...by } = created.data!['campaignEdit'] as { id: string };
  expect(by).toEqual({ createdBy: colleague.email, updatedBy: colleague.email });
  const other = await newUser(service, colleague.organizationId, 'editor');
  await other.ask(`mutation { campaignEdit(input: { id: "${id}", name: "B" }) { id } }`);
  const read = () =>
    colleague.ask(`{ campaign(id: "${id}") { createdBy updatedBy } campaigns { createdBy updatedBy } }`);
  const edited = { createdBy: colleague.email, updatedBy: other.email };
  expect((await read()).data).toEqual({ campaign: edited, campaigns: [edited] });
  await colleague.ask(`mutation { campaignChangeState(id: "${id}", state: ARCHIVED) { id } }`);
  expect((await read()).data).toMatchObject({ campaign: by });
});
