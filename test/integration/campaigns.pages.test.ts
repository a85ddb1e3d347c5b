// query campaigns: pages under every order where many campaigns are equal, filters at their edges, and the count beside them.
import { campaignStates, storeCampaign } from '../support/campaigns.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
const now = new Date();
beforeAll(async () => {
  service = await startTestService({ now: () => now });
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  for (let index = 0; index < 24; index += 1) {
    const state = campaignStates[index % 3]!;
    const name = ['Sale', 'sale', 'SALE 50%', 'sale_x'][index % 4]!;
    await storeCampaign(service, { name, state, priority: index % 2 }, now);
  }
});
afterAll(() => service.stop());

interface Row {
  id: string;
  name: string;
  state: string;
  priority: number;
}
async function rows(args: string): Promise<Row[]> {
  const { data, text } = await viewer.ask(`{ campaigns(${args}) { id name state priority } }`);
  if (!data) throw new Error(text);
  return data['campaigns'] as Row[];
}
async function count(args: string): Promise<number> {
  const { data, text } = await viewer.ask(`{ campaignsCount${args && `(${args})`} }`);
  if (!data) throw new Error(text);
  return data['campaignsCount'] as number;
}

test.each<[string, (row: Row) => string | number, boolean]>([
  ['CREATED', () => '', true],
  ['UPDATED', () => '', true],
  ['NAME', ({ name }) => name.toLowerCase(), false],
  ['PRIORITY', ({ priority }) => -priority, false],
  ['STATE', ({ state }) => campaignStates.findIndex((known) => known === state), false],
])('%s: pages neither repeat nor skip, and equal campaigns are in the order of their ids', async (...given) => {
  const [sort, keyOf, newestFirst] = given;
  const all = await rows(`sort: ${sort}`);
  const pages: Row[] = [];
  for (let offset = 0; offset < 25; offset += 5)
    pages.push(...(await rows(`sort: ${sort}, limit: 5, offset: ${offset}`)));
  expect(pages).toEqual(all);
  const compare = (one: string | number, other: string | number) => (one < other ? -1 : one > other ? 1 : 0);
  const sorted = all.toSorted(
    (one, other) => compare(keyOf(one), keyOf(other)) || compare(one.id, other.id) * (newestFirst ? -1 : 1),
  );
  expect(all).toEqual(sorted);
});

test.each([
  ['', 24],
  ['states: []', 24],
  ['state: DRAFT', 8],
  ['states: [DRAFT, ACTIVE, DRAFT]', 16],
  ['states: [ARCHIVED]', 0],
  ['search: ""', 24],
  ['search: "sale"', 24],
  ['search: "ALE"', 24],
  ['search: "%"', 6],
  ['search: "_"', 6],
  ['search: "%sale%"', 0],
  ['search: " "', 24],
  ['search: " 5"', 6],
  ['search: "\\\\"', 0],
  [`search: "${'🚀'.repeat(256)}"`, 0],
  ['search: "x", states: [SCHEDULED, ACTIVE]', 4],
])('%s: the count is that of all pages', async (args, expected) => {
  expect([await count(args), (await rows(`${args} limit: 200`)).length]).toEqual([expected, expected]);
});

test('beyond the end there is nothing, as far as an offset goes', async () => {
  for (const offset of [24, 2 ** 31 - 1]) expect(await rows(`offset: ${offset}`)).toEqual([]);
});
