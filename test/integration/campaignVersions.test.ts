// The kept versions: every published version is kept for ever, as devices received it, with the change that made it.
import { fetchConfig, storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let editor: TestUser;
beforeAll(async () => {
  service = await startTestService();
  editor = await newUser(service, await organizationOf(service, service.application.id), 'editor');
});
afterAll(() => service.stop());

async function does(mutation: string): Promise<void> {
  const { data, text } = await editor.ask(`mutation { ${mutation} { version } }`);
  if (!data) throw new Error(text);
}
const edit = (id: string, fields: string) => does(`campaignEdit(input: { id: "${id}", ${fields} })`);
const move = (id: string, state: string) => does(`campaignChangeState(id: "${id}", state: ${state})`);
const delivered = async () => (await fetchConfig(service)).body.campaigns[0];
const kept = (campaignId: string) =>
  service.database.prisma.campaignVersion.findMany({ where: { campaignId }, orderBy: { version: 'asc' } });

test('exactly what devices could get is kept', async () => {
  const { id } = await storeCampaign(service, { state: 'DRAFT' });
  const got: unknown[] = [];
  await edit(id, 'name: "Draft"');
  expect(await kept(id)).toEqual([]);
  await edit(id, 'schedule: { startAt: "2099-01-01T00:00:00Z" }');
  await move(id, 'SCHEDULED');
  got.push(await delivered());
  await edit(id, 'action: { type: "open", payload: { text: "scheduled" } }');
  got.push(await delivered());
  await move(id, 'ACTIVE');
  got.push(await delivered());
  await move(id, 'ACTIVE');
  await move(id, 'PAUSED');
  await edit(id, 'name: "Paused"');
  await move(id, 'ACTIVE');
  got.push(await delivered());
  await move(id, 'FINISHED');
  const versions = await kept(id);
  expect(versions.map(({ version }) => version)).toEqual([4, 5, 6, 9]);
  expect(versions.map((row) => row.delivered)).toEqual(got);
  const { createdAt, updatedAt } = await service.database.prisma.campaign.findUniqueOrThrow({ where: { id } });
  for (const { publishedAt } of versions) {
    expect([publishedAt >= createdAt, publishedAt <= updatedAt]).toEqual([true, true]);
  }
});

test('a change whose version cannot be kept is not made', async () => {
  const { id } = await storeCampaign(service);
  const { prisma } = service.database;
  await prisma.campaignVersion.create({ data: { campaignId: id, version: 2, delivered: {}, publishedAt: new Date() } });
  const { codes } = await editor.ask(`mutation { campaignEdit(input: { id: "${id}", name: "B" }) { id } }`);
  expect(codes).toEqual(['INTERNAL_SERVER_ERROR']);
  expect(await prisma.campaign.findUnique({ where: { id } })).toMatchObject({ version: 1, name: 'A campaign' });
});

test('a kept version never changes, and goes with its campaign', async () => {
  const { id } = await storeCampaign(service);
  await edit(id, 'name: "B"');
  const { prisma, pool } = service.database;
  await expect(pool.query("UPDATE campaign_versions SET delivered = '{}'")).rejects.toThrow('never change');
  expect(await kept(id)).toMatchObject([{ version: 2, delivered: { name: 'B' } }]);
  await prisma.campaign.delete({ where: { id } });
  expect(await kept(id)).toEqual([]);
});
