// Store credentials: set, stored and used; transactions wait without them.
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { createEncryption } from '../../src/platform/encryption.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { findStoreCredentials, saveStoreCredentials } from '../../src/purchases/storeCredentials.ts';
import { announce } from '../tools/demo/fakeStore/announcement.ts';
import { mintChain } from '../tools/demo/fakeStore/certificates.ts';
import { aPurchase, newAccount, startTestStore, type TestStore } from '../support/fakeStore.ts';
import {
  encryptionKey,
  type PurchaseTest,
  setCredentials,
  settled,
  startPurchaseTest,
  startTestWorker,
  transactionsOf,
  upload,
} from '../support/purchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// mutation storeCredentialsEdit: waiting purchases continue, and no response ever contains the key.
describe('storeCredentialsEdit', () => {
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
    purchases.store.respondWith(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
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
    store.respondWith(busy, { production: [limited, { purchase: aPurchase({ transactionId: busy }) }] });
    for (const id of others) store.respondWith(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
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
    store.respondWith(id, { production: [{ status: 403 }, { purchase: aPurchase({ transactionId: id }) }] });
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
});

// The SQL of store credentials: every change gets a new version.
describe('storeCredentialsStore', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  test('two changes in one transaction have two versions', async () => {
    const { application, database } = service;
    const encryption = createEncryption(encryptionKey);
    const versions = await inTransaction(database.adminPool, async (client) => {
      const found: (string | null)[] = [];
      for (const credentials of [newAccount(), newAccount()]) {
        await saveStoreCredentials(client, encryption, { applicationId: application.id, credentials });
        found.push((await findStoreCredentials(client, encryption, application.id)).version);
      }
      return found;
    });
    expect(versions).toEqual([expect.any(String), expect.any(String)]);
    expect(new Set(versions).size).toBe(2);
  });
});

// Purchases: without credentials, with refused ones or with unreadable ones, transactions wait; they continue once credentials are set.
describe('purchases: credentials', () => {
  let purchases: PurchaseTest;
  beforeEach(async () => {
    purchases = await startPurchaseTest();
  });
  afterEach(() => purchases.stop());

  function purchasedIds(count: number): string[] {
    const ids = Array.from({ length: count }, () => randomUUID());
    for (const id of ids)
      purchases.store.respondWith(id, { production: [{ purchase: aPurchase({ transactionId: id }) }] });
    return ids;
  }

  async function setUntilResolved(ids: string[]): Promise<void> {
    await setCredentials(purchases.service, purchases.store.account);
    for (const id of ids) await settled(purchases.service, id, ['RESOLVED']);
  }

  test('without credentials a transaction waits, without a call, until they are set', async () => {
    await setCredentials(purchases.service, null);
    const ids = purchasedIds(3);
    await upload(purchases.service, ids);
    for (const id of ids) await settled(purchases.service, id, ['PENDING', 'no_credentials']);
    expect(purchases.store.calls).toEqual([]);
    await setUntilResolved(ids);
  });

  test.each(['another key', 'another key id', 'another issuer'])(
    'refused, for %s, it waits for new ones',
    async (wrong) => {
      const { account } = purchases.store;
      const other = newAccount();
      await setCredentials(purchases.service, {
        ...account,
        ...(wrong === 'another key' && { privateKey: other.privateKey }),
        ...(wrong === 'another key id' && { keyId: 'OTHER' }),
        ...(wrong === 'another issuer' && { issuerId: other.issuerId }),
      });
      const ids = purchasedIds(1);
      await upload(purchases.service, ids);
      await settled(purchases.service, ids[0]!, ['PENDING', 'credentials_refused']);
      const statuses = purchases.store.calls.map(({ environment, status }) => `${environment} ${status}`);
      expect(statuses).toEqual(['production 401', 'sandbox 401']);
      await setUntilResolved(ids);
    },
  );

  test('for a deleted application the store is not asked', async () => {
    const { service, store } = purchases;
    await setCredentials(service, null);
    const ids = purchasedIds(1);
    await upload(service, ids);
    await settled(service, ids[0]!, ['PENDING', 'no_credentials']);
    await service.database.prisma.application.updateMany({ data: { deletedAt: new Date() } });
    await setCredentials(service, store.account);
    const encryption = createEncryption(encryptionKey);
    const found = await findStoreCredentials(service.database.pool, encryption, service.application.id);
    expect(found).toEqual({ version: null, access: null });
    expect(store.calls).toEqual([]);
  });

  test('the bundle id of the credentials counts, and without one that of the application', async () => {
    const { service, store } = purchases;
    const other = newAccount('com.example.clip');
    store.allow(other);
    await setCredentials(service, other);
    const [clip, app] = purchasedIds(2);
    await upload(service, [clip!]);
    await settled(service, clip!, ['RESOLVED']);
    await setCredentials(service, { ...store.account, bundleId: null });
    await upload(service, [app!]);
    await settled(service, app!, ['RESOLVED']);
  });

  test('encrypted with another key they cannot be read, and it waits', async () => {
    await setCredentials(purchases.service, purchases.store.account);
    const { prisma } = purchases.service.database;
    await prisma.storeCredentials.updateMany({ data: { privateKeyEncrypted: Uint8Array.from(Buffer.alloc(60, 1)) } });
    const ids = purchasedIds(1);
    await upload(purchases.service, ids);
    await settled(purchases.service, ids[0]!, ['PENDING', 'credentials_unreadable']);
    await setUntilResolved(ids);
  });

  test('without root certificates nothing is asked and it waits', async () => {
    const bare = await startPurchaseTest({ rootFiles: [] });
    const id = randomUUID();
    await upload(bare.service, [id]);
    await settled(bare.service, id, ['PENDING', 'no_root_certificates']);
    expect(bare.store.calls).toEqual([]);
    await bare.stop();
  });

  test('the private key is stored encrypted, and neither it nor a token nor a response is ever logged', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
    const logged = await startPurchaseTest({ foundation: { log } });
    const { service, store } = logged;
    const ids = ['RESOLVED', 'FAILED', 'NOT_FOUND', 'PENDING'].map((state) => [state, randomUUID()] as const);
    for (const [state, id] of ids) {
      const purchase = aPurchase({ transactionId: id, ...(state === 'FAILED' && { bundleId: 'com.other' }) });
      if (state === 'PENDING') store.respondWith(id, { production: [{ status: 401 }], sandbox: [{ status: 401 }] });
      else if (state !== 'NOT_FOUND') store.respondWith(id, { production: [{ purchase }] });
    }
    await upload(service, [...ids.map(([, id]) => id), '..']);
    for (const [state, id] of ids) await settled(service, id, [state, reasons[state]]);
    const stored = await service.database.prisma.storeCredentials.findFirstOrThrow();
    const secret = store.account.privateKey.split('\n')[1]!;
    expect(Buffer.from(stored.privateKeyEncrypted).includes(Buffer.from(secret))).toBe(false);
    await logged.stop();
    const text = lines.join('');
    expect(text).toContain(ids[0]![1]);
    for (const forbidden of [secret, 'PRIVATE KEY', 'Bearer', 'eyJ']) expect(text).not.toContain(forbidden);
  });

  const reasons: Record<string, string> = { FAILED: 'wrong_bundle', PENDING: 'credentials_refused' };
});

// Purchases: outside production, a service calls a demo's stand-in while that runs, and no store before and after it.
describe('purchases: stand in', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-stand-in-'));
  const file = path.join(folder, 'data', 'demo-store.json');
  let service: TestService;
  let store: TestStore;
  let stopWorker: () => Promise<void>;
  beforeAll(async () => {
    [service, store] = await Promise.all([startTestService(), startTestStore()]);
    await setCredentials(service, store.account);
    stopWorker = await startTestWorker({ service, store }, { rootFiles: [], demoStoreFile: file });
  });
  afterAll(async () => {
    await stopWorker();
    await store.stop();
    await service.stop();
    rmSync(folder, { recursive: true });
  });

  async function reportNew(): Promise<string> {
    const transactionId = randomUUID();
    store.respondWith(transactionId, { production: [{ purchase: aPurchase({ transactionId }) }] });
    await upload(service, [transactionId]);
    return transactionId;
  }

  test('without an announcement a transaction waits, with one it resolves, and afterwards the next one waits', async () => {
    await settled(service, await reportNew(), ['PENDING', 'no_root_certificates']);
    const withdraw = await announce(file, store);
    await settled(service, await reportNew(), ['RESOLVED']);
    withdraw();
    await settled(service, await reportNew(), ['PENDING', 'no_root_certificates']);
    expect(store.calls.map(({ status }) => status)).toEqual([200]);
  });

  test('what another root has signed does not verify', async () => {
    const withdraw = await announce(file, { url: store.url, chain: await mintChain() });
    await settled(service, await reportNew(), ['FAILED', 'not_verified']);
    withdraw();
  });

  test('of two demos the second is refused, unless the first is gone without a word', async () => {
    const withdraw = await announce(file, store);
    await expect(announce(file, store)).rejects.toThrow('Another demo');
    const left = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...left, pid: 2 ** 22 + 1 }));
    (await announce(file, store))();
    withdraw();
  });
});
