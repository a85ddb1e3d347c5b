// What a batch asks of its transaction: rows in order, and when one fails on this side, it is not given back under a statement.
import { randomUUID } from 'node:crypto';
import type { PipelinedTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import { storeUploads } from '../../src/sessions/storeUploads.ts';
import { gate, nextTurn } from '../support/memoryStore.ts';
import { aReport, aSession } from '../support/uploads.ts';

test('a failure while the claim is under way is passed on when the claim has ended', async () => {
  const { hold, open } = gate();
  const claimed = { isNew: [], anchors: new Map() };
  const pipelined = (() => hold.then(() => claimed)) as unknown as PipelinedTransaction['pipelined'];
  const transaction = { pipelined, pipelinedToCommit: pipelined, rollBack: () => Promise.resolve() };
  const origin = { applicationId: '0192f0c4-1111-7000-8000-000000000001', stateAt: 1_789_000_000 };
  const { device, sessions, events } = sessionRows(aReport(), origin);
  // A time that no upload can bring: it passes no contract.
  const broken = events.map((event) => ({ ...event, occurredAt: NaN }));
  let ended = false;
  const storing = storeUploads(transaction, [{ device, sessions, events: broken, nonce: null, eventsSent: 1 }]);
  const failure = storing.then(String, String).finally(() => (ended = true));
  for (let turn = 0; turn < 5; turn++) await nextTurn();
  expect(ended).toBe(false);
  open();
  expect(await failure).toMatch(/^RangeError/);
});

test('the rows of each statement are sorted, so that two batches never wait for each other in a circle', async () => {
  const firstColumns = new Map<string, string[]>();
  const query = ({ name, values }: { name: string; values: string[] }) => {
    firstColumns.set(name, values[0]!.slice(1, -1).split(','));
    return Promise.resolve({ rows: [], rowCount: firstColumns.get(name)!.length });
  };
  const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
  const transaction = { pipelined, pipelinedToCommit: pipelined, rollBack: () => Promise.resolve() };
  const applicationId = '0192f0c4-1111-7000-8000-000000000001';
  const uploads = Array.from({ length: 20 }, () => {
    const report = aReport({ user: { properties: [] }, sessions: [aSession({ events: [] })] });
    const nonce = { nonce: randomUUID(), applicationId, bodyHash: Buffer.alloc(32) };
    return { ...sessionRows(report, { applicationId, stateAt: 1_789_000_000 }), nonce, eventsSent: 0 };
  });
  await storeUploads(transaction, uploads);
  expect([...firstColumns.keys()]).toEqual(['insert_new_nonces', 'upsert_sessions', 'upsert_devices']);
  for (const column of firstColumns.values()) {
    expect(column).toHaveLength(20);
    expect(column).toEqual(column.toSorted());
  }
});
