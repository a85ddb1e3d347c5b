// Tests the ledger itself: it must catch two broken stores, and must not accuse the sound one.
import type { Pool, PoolClient } from 'pg';
import { batching } from '../../src/compose/composeDeps.ts';
import type { RandomSource } from '../tools/demo/simulation/randomSource.ts';
import type { Deps } from '../../src/deps.ts';
import { inTransaction, type PipelinedTransaction, type Transaction } from '../../src/platform/database/transaction.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { copyEvents, eventRows, upsertSessions } from '../../src/sessions/writer/uploadsStore.ts';
import { storeBatch, storeUploads } from '../../src/sessions/writer/storeBatch.ts';
import { sessionKey } from '../../src/sessions/upload.ts';
import type { StoreBatch } from '../../src/sessions/writer/groupCommit.ts';
import { UploadWriter } from '../../src/sessions/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { randomOf } from './support/seed.ts';
import { startTrial, type Findings } from './support/trial.ts';

const uploads = 100;

/** Statement by statement, and somebody else commits. */
const withoutCommit = (client: PoolClient | Transaction): PipelinedTransaction => {
  const transaction = client as Transaction;
  return {
    pipelined: (ask: Ask) => ask(transaction),
    pipelinedToCommit: (ask: Ask) => ask(transaction),
    async rollBack() {
      await transaction.query('ROLLBACK');
      await transaction.query('BEGIN');
    },
  } as unknown as PipelinedTransaction;
};

type Ask = (transaction: Transaction) => Promise<unknown>;

/** Acknowledges a batch before its COMMIT, and often rolls back instead. */
const responsesBeforeCommit =
  (pool: Pool, random: RandomSource): StoreBatch =>
  async (batch) => {
    const client = await pool.connect();
    await client.query('BEGIN');
    const stored = await storeUploads(withoutCommit(client), batch);
    void client.query(random.chance(0.5) ? 'ROLLBACK' : 'COMMIT').then(() => client.release());
    return stored;
  };

/** Stores each half of a batch's first upload in its own transaction, and sometimes fails before the second. */
const storesInParts =
  (pool: Pool, random: RandomSource): StoreBatch =>
  async (batch) => {
    const [first, ...rest] = batch;
    const middle = Math.ceil(first!.events.length / 2);
    await storeBatch(pool, [{ ...first!, events: first!.events.slice(0, middle), nonce: null }]);
    if (random.chance(0.5)) throw Object.assign(new Error('terminated'), { code: '57P01' });
    return storeBatch(pool, [first!, ...rest]);
  };

/** Stores events without a check for existing ones. */
const storesAgain =
  (pool: Pool): StoreBatch =>
  async (batch) =>
    inTransaction(pool, async (client) => {
      const stored = await storeUploads(
        withoutCommit(client),
        batch.map((upload) => ({ ...upload, events: [], nonce: null })),
      );
      const sessions = batch.flatMap((upload) => upload.sessions);
      const anchors = await upsertSessions(client, [...new Map(sessions.map((each) => [each.id, each])).values()]);
      const events = batch.flatMap((upload) => upload.events);
      await copyEvents(
        client,
        eventRows(events.map((event) => ({ event, anchor: anchors.get(sessionKey(event, event.sessionId))! }))),
      );
      return { ...stored, outcomes: batch.map(() => 'stored') };
    });

async function accountOf(
  store: (pool: Pool, random: RandomSource) => StoreBatch,
  prepare: (service: TestService) => Promise<unknown> = async () => undefined,
): Promise<Findings> {
  const random = randomOf('ledger');
  const change = (deps: Deps): Deps => ({
    ...deps,
    uploads: new UploadWriter(
      store(deps.pool, random),
      { ...batching, queueSize: 512, queueMillis: 60_000, respondWithinMillis: 60_000 },
      createMetrics(),
    ),
  });
  await using service = await startTestService({ signatureRequired: true, change });
  await prepare(service);
  const { url, database, application } = service;
  const campaignIds = [await createCampaign(database.prisma, application.id)];
  const trial = await startTrial({ databaseUrl: database.url, application, url: () => url, campaignIds }, random);
  for (let sent = 0; sent < uploads; sent += 10) {
    const entries = Array.from({ length: 10 }, () => trial.ledger.record(trial.source.next()));
    await Promise.all(entries.map((entry) => trial.ledger.deliver(entry, trial.transport)));
    // As after a lost reply: the same upload again, as another request.
    const again = random.shuffle(entries).slice(0, 2);
    for (const entry of again) await trial.ledger.deliver(entry, trial.transport, trial.ledger.newNonce());
  }
  return await trial.finish();
}

test('a store that responses before COMMIT loses events, and the ledger sees which', async () => {
  const { acknowledged, lost } = await accountOf(responsesBeforeCommit);
  expect(acknowledged).toBeGreaterThan(0);
  expect(lost).toBeGreaterThan(0);
});

test('a store without conflict handling doubles events, and the ledger sees it', async () => {
  const found = await accountOf(storesAgain, ({ database }) =>
    database.pool.query('ALTER TABLE events DROP CONSTRAINT events_pkey'),
  );
  expect(found).toMatchObject({ lost: 0, neverSent: 0 });
  expect(found.doubled).toBeGreaterThan(0);
});

test('a store that commits an upload in parts is seen by what it leaves of those that nobody heard of', async () => {
  const { problems } = await accountOf(storesInParts);
  expect(problems).toEqual(expect.arrayContaining([expect.stringMatching(/uploads were stored in part$/)]));
});

test('rows that nobody sent are found, and a state or a count that is not as sent', async () => {
  const found = await accountOf((pool) => async (batch) => {
    const [first] = batch[0]!.events;
    const foreign = first ? [{ ...first, id: `${first.id} again`, outcomes: [] }] : [];
    const [upload, ...rest] = batch;
    const changed = {
      ...upload!,
      device: { ...upload!.device, userId: 'somebody' },
      events: [...upload!.events, ...foreign],
    };
    return storeBatch(pool, [changed, ...rest]);
  });
  expect(found).toMatchObject({ lost: 0, doubled: 0 });
  expect(found.neverSent).toBeGreaterThan(0);
  expect(found.problems).toEqual(expect.arrayContaining([expect.stringMatching(/^device \S+ is somebody/)]));
});

test('a store that sometimes takes a new state for an old one is seen by the states that it loses', async () => {
  const { problems } = await accountOf((pool, random) => (batch) => {
    const aged = batch.map((upload) =>
      random.chance(0.3) ? { ...upload, device: { ...upload.device, stateAt: 0 } } : upload,
    );
    return storeBatch(pool, aged);
  });
  expect(problems).toEqual(
    expect.arrayContaining([expect.stringMatching(/^device \S+ is user-\d+ \d+ in the database/)]),
  );
});

test('the sound store loses, doubles and adds nothing', async () => {
  const found = await accountOf((pool) => (batch) => storeBatch(pool, batch));
  expect(found).toMatchObject({ lost: 0, doubled: 0, neverSent: 0, problems: [] });
  expect(found.responses).toEqual({ 200: uploads * 1.2 });
});
