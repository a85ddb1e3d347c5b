// mutation storeCredentialsEdit: waiting purchases continue, and no response ever contains the key.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { aPurchase, newAccount } from '../support/fakeStore.ts';
import {
  setCredentials,
  settled,
  startPurchaseTest,
  transactionsOf,
  upload,
  type PurchaseTest,
} from '../support/purchases.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let purchases: PurchaseTest;
let admin: TestUser;
beforeAll(async () => {
  purchases = await startPurchaseTest();
  const { service } = purchases;
  admin = await newUser(service, await organizationOf(service, service.application.id), 'admin');
});
afterAll(() => purchases.stop());
beforeEach(() => setCredentials(purchases.service, null));

const mutation = 'mutation S($input: StoreCredentialsEditInput!) { storeCredentialsEdit(input: $input) }';
const edit = (fields: Record<string, unknown>, user = admin) =>
  user.ask(mutation, { input: { applicationId: purchases.service.application.id, ...fields } });
const stored = () => purchases.service.database.prisma.storeCredentials.findMany();
const account = () => {
  const { issuerId, keyId, privateKey } = purchases.store.account;
  return { issuerId, keyId, privateKey };
};
async function aWaitingPurchase(reason: string): Promise<string> {
  const id = randomUUID();
  purchases.store.answer(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
  await upload(purchases.service, [id]);
  await settled(purchases.service, id, ['PENDING', reason]);
  return id;
}

test('what waits without credentials and what was refused is resolved once the right ones are set', async () => {
  const without = await aWaitingPurchase('no_credentials');
  const { privateKey } = newAccount();
  expect((await edit({ ...account(), privateKey })).data).toEqual({ storeCredentialsEdit: true });
  await settled(purchases.service, without, ['PENDING', 'credentials_refused']);
  const { issuerId, keyId } = account();
  const pasted = { ...account(), issuerId: ` ${issuerId}\n`, keyId: `\t${keyId}` };
  expect((await edit(pasted)).data).toEqual({ storeCredentialsEdit: true });
  await settled(purchases.service, without, ['RESOLVED']);
});

test('a pause that the former ones were told to make ends, and what it has put off is asked', async () => {
  const { service, store } = purchases;
  await edit(account());
  const [busy, ...others] = [randomUUID(), randomUUID(), randomUUID()] as const;
  const limited = { status: 429, code: 4_290_000, retryAfter: '99999999999999999999' };
  store.answer(busy, { production: [limited, { purchase: aPurchase({ transactionId: busy }) }] });
  for (const id of others) store.answer(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
  await upload(service, [busy]);
  await settled(service, busy, ['PENDING', 'store_busy']);
  await upload(service, [...others]);
  // The pause is one of the application: the others wait for it.
  const device = randomUUID();
  await upload(service, [others[1]], { device });
  expect(await transactionsOf(service, device)).toMatchObject([{ reason: 'store_busy' }]);
  const calls = store.calls.length;
  expect((await edit(account())).data).toEqual({ storeCredentialsEdit: true });
  for (const id of [busy, ...others]) await settled(service, id, ['RESOLVED']);
  expect(store.calls).toHaveLength(calls + 3);
});

test('what failed is looked up again as docs/operating/troubleshooting.md says', async () => {
  const { service, store } = purchases;
  await edit(account());
  const id = randomUUID();
  store.answer(id, { production: [{ status: 403 }, { purchase: aPurchase({ transactionId: id }) }] });
  await upload(service, [id]);
  await settled(service, id, ['FAILED', 'store_refused_403']);
  const [, statement] = /```sql\n(UPDATE store_transactions [^`]*)```/.exec(
    readFileSync(projectFile('docs/operating/troubleshooting.md'), 'utf8'),
  )!;
  await service.database.pool.query(statement!.replace('…', service.application.id));
  await edit(account());
  await settled(service, id, ['RESOLVED']);
});

test('null clears, also what is not there', async () => {
  for (const fields of [account(), {}, { issuerId: null, keyId: null, privateKey: null, bundleId: null }]) {
    expect((await edit(fields)).data).toEqual({ storeCredentialsEdit: true });
    expect(await stored()).toHaveLength('issuerId' in fields && fields.issuerId ? 1 : 0);
  }
  await aWaitingPurchase('no_credentials');
});

test('names each field that is missing or wrong, and repeats none', async () => {
  const cases: [Record<string, unknown>, string[]][] = [
    [{ keyId: 'K' }, ['input.issuerId', 'input.privateKey']],
    [{ bundleId: 'com.example' }, ['input.issuerId', 'input.keyId', 'input.privateKey']],
    [{ ...account(), privateKey: 'SECRET' }, ['input.privateKey']],
    [{ ...account(), privateKey: `${account().privateKey}\u0000\ud800` }, ['input.privateKey']],
    [{ ...account(), privateKey: account().privateKey.repeat(2) }, ['input.privateKey']],
    [{ ...account(), issuerId: ' ', bundleId: '' }, ['input.issuerId', 'input.bundleId']],
  ];
  for (const [fields, paths] of cases) {
    const { errors, text } = await edit(fields);
    expect(errors[0]!.extensions.code).toBe('BAD_USER_INPUT');
    expect((errors[0]!.extensions['fields'] as { path: string }[]).map(({ path }) => path)).toEqual(paths);
    expect(text).not.toContain('SECRET');
  }
  expect(await stored()).toEqual([]);
});

test("another organization's application is as unknown as any, and editors may not", async () => {
  const { service } = purchases;
  const foreign = await service.newApplication();
  for (const applicationId of [foreign.id, randomUUID()]) {
    expect((await edit({ applicationId, ...account() })).codes).toEqual(['NOT_FOUND']);
    expect((await edit({ applicationId })).codes).toEqual(['NOT_FOUND']);
  }
  const editor = await newUser(service, admin.organizationId, 'editor');
  expect((await edit(account(), editor)).codes).toEqual(['FORBIDDEN']);
  expect(await stored()).toEqual([]);
});

test('is stored encrypted', async () => {
  await edit({ ...account(), bundleId: ' com.example.clip ' });
  const [row] = await stored();
  expect(row).toMatchObject({ issuerId: account().issuerId, bundleId: 'com.example.clip' });
  const secret = account().privateKey.split('\n')[1]!;
  expect(Buffer.from(row!.privateKeyEncrypted).includes(Buffer.from(secret))).toBe(false);
});

test("the store's number of the app is set, shown and cleared without the credentials, and they without it", async () => {
  const shown = async () => {
    const { data } = await admin.ask('query A { applications { id storeAppId storeCredentialsSet } }', {});
    const { applications } = data as {
      applications: { id: string; storeAppId: string; storeCredentialsSet: boolean }[];
    };
    const own = applications.find(({ id }) => id === purchases.service.application.id)!;
    return [own.storeAppId, own.storeCredentialsSet];
  };
  await edit(account());
  await edit({ storeAppId: ' 1234567890\n' });
  expect(await shown()).toEqual(['1234567890', true]);
  await edit(account());
  expect(await shown()).toEqual(['1234567890', true]);
  await edit({});
  expect(await shown()).toEqual(['1234567890', false]);
  await edit({ ...account(), storeAppId: null });
  expect(await shown()).toEqual([null, true]);
  for (const storeAppId of ['', '0', 'app', '-1', '1.5', '1'.repeat(16)]) {
    const { codes } = await edit({ ...account(), storeAppId });
    expect(codes).toEqual(['BAD_USER_INPUT']);
  }
});
