// mutation campaignChangeState over HTTP: a dashboard's view of the changes that campaignState.test.ts lists.
import { aCampaign, storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let editor: TestUser;
beforeAll(async () => {
  service = await startTestService();
  editor = await newUser(service, await organizationOf(service, service.application.id), 'editor');
});
afterAll(() => service.stop());

const change = (id: string, state: string, expectedVersion?: number) =>
  editor.ask(
    `mutation M($id: UUID!, $state: CampaignState!, $expectedVersion: Int) {
      campaignChangeState(id: $id, state: $state, expectedVersion: $expectedVersion) { state version allowedTransitions } }`,
    { id, state, expectedVersion },
  );

test('moves raise the version, and the same state again changes nothing', async () => {
  const { id } = await storeCampaign(service, { state: 'DRAFT' });
  const active = { state: 'ACTIVE', version: 2, allowedTransitions: ['PAUSED', 'FINISHED'] };
  expect((await change(id, 'ACTIVE', 1)).data).toEqual({ campaignChangeState: active });
  expect((await change(id, 'ACTIVE')).data).toEqual({ campaignChangeState: active });
});

test('a schedule whose start has passed has begun', async () => {
  const { id } = await storeCampaign(service, { state: 'DRAFT', startAt: new Date(Date.now() - 1_000) });
  expect((await change(id, 'SCHEDULED')).data).toMatchObject({ campaignChangeState: { state: 'ACTIVE', version: 2 } });
});

test('after a mutation that fails, those behind it do not run, and the ones before it have taken effect', async () => {
  const ids = [await storeCampaign(service), await storeCampaign(service), await storeCampaign(service)].map(
    ({ id }) => id,
  );
  const fields = ['PAUSED', 'DRAFT', 'PAUSED'].map(
    (state, index) => `f${index}: campaignChangeState(id: "${ids[index]!}", state: ${state}) { state }`,
  );
  const { status, data, errors } = await editor.ask(`mutation { ${fields.join(' ')} }`);
  expect([status, data, errors.map(({ path }) => path)]).toEqual([200, null, [['f1']]]);
  const states = await service.database.prisma.campaign.findMany({
    where: { id: { in: ids } },
    select: { id: true, state: true },
  });
  expect(ids.map((id) => states.find((campaign) => campaign.id === id)?.state)).toEqual(['PAUSED', 'ACTIVE', 'ACTIVE']);
});

test('an illegal move says what is allowed, and a stale version comes before it', async () => {
  const { id } = await storeCampaign(service);
  expect((await change(id, 'DRAFT')).errors[0]!.extensions).toEqual({
    code: 'ILLEGAL_TRANSITION',
    allowed: ['PAUSED', 'FINISHED'],
  });
  expect((await change(id, 'DRAFT', 7)).errors[0]!.extensions).toEqual({
    code: 'CONFLICT',
    reason: 'version',
    currentVersion: 1,
  });
});

test('an incomplete campaign names what it lacks', async () => {
  const { id } = await storeCampaign(service, aCampaign({ state: 'DRAFT', trigger: null, action: null }));
  const { errors } = await change(id, 'SCHEDULED');
  expect((errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path)).toEqual([
    'campaign.trigger',
    'campaign.action',
    'campaign.schedule.startAt',
  ]);
});
