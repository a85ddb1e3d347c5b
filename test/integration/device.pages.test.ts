// query device: the pages of its transactions and entitlements.
import { randomUUID } from 'node:crypto';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());

const send = (operationId: string, body: unknown) =>
  service.client.send(operationId, { 'X-Api-Key': service.application.key.public }, body);

test('transactions and entitlements come page by page, newest first, 500 of them unless more are asked for', async () => {
  const id = randomUUID();
  const first = Array.from({ length: 500 }, (_, at) => ({ id: `first-${at}` }));
  await send('reportStoreTransactions', { device: { id }, transactions: first });
  await send('reportStoreTransactions', { device: { id }, transactions: [{ id: 'second-a' }, { id: 'second-b' }] });
  // Of those that are not resolved, a device lists 100.
  await service.database.prisma.storeTransaction.updateMany({ data: { state: 'RESOLVED' } });
  const pages = `query D($app: UUID!, $id: String!, $limit: Int, $other: Int) {
    device(applicationId: $app, id: $id) {
      all: transactions(limit: 20000) { id } usual: transactions { id } asked: transactions(limit: $limit) { id }
      entitlements(limit: $other) { productId }
    }
  }`;
  const ask = (limit: number | null, other: number | null = null) =>
    viewer.ask(pages, { app: service.application.id, id, limit, other });
  const { data, errors } = await ask(3);
  expect(errors).toEqual([]);
  const { all, usual, asked } = data!['device'] as Record<'all' | 'usual' | 'asked', { id: string }[]>;
  expect(all.map((transaction) => transaction.id).slice(0, 3)).toEqual(['second-a', 'second-b', 'first-0']);
  expect([all.length, usual, asked]).toEqual([502, all.slice(0, 500), all.slice(0, 3)]);
  const message = 'must be 1 to 20000';
  for (const [limit, other] of [
    [0, 1],
    [20_001, 1],
    [1, 0],
    [1, 20_001],
  ] as const) {
    const refused = await ask(limit, other);
    expect(refused.errors.map(({ extensions }) => extensions)).toEqual([
      { code: 'BAD_USER_INPUT', fields: [{ path: 'limit', message }] },
    ]);
  }
});
