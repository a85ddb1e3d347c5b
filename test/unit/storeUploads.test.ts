// The statements of a batch's transaction: rows in order, and no COMMIT unless all rows are built.
import { randomUUID } from 'node:crypto';
import type { PipelinedTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import { storeNewUploads } from '../../src/sessions/writer/storeNewUploads.ts';
import { storeUploads } from '../../src/sessions/writer/storeUploads.ts';
import { aReport, aSession } from '../support/uploads.ts';

const applicationId = '0192f0c4-1111-7000-8000-000000000001';

function uploadOfOneSession() {
  const report = aReport({ user: { properties: [] }, sessions: [aSession({ events: [] })] });
  const nonce = { nonce: randomUUID(), applicationId, bodyHash: Buffer.alloc(32) };
  return { ...sessionRows(report, { applicationId, stateAt: 1_789_000_000 }), nonce };
}

const transactionOf = (pipelines: Pick<PipelinedTransaction, 'pipelined' | 'pipelinedToCommit'>) =>
  ({ ...pipelines, rollBack: () => Promise.resolve() }) as unknown as PipelinedTransaction;

const takeNumbers = async (count: number) => ({
  refs: Array.from({ length: count }, (_, index) => index + 1),
  receivedAt: 1_789_000_000,
});

test.each([
  ['storeUploads', storeUploads],
  ['storeNewUploads', (transaction, uploads) => storeNewUploads(transaction, uploads, takeNumbers)],
] satisfies [string, (...given: Parameters<typeof storeUploads>) => Promise<unknown>][])(
  '%s asks for no COMMIT where a row cannot be written',
  async (_, store) => {
    const commits: unknown[] = [];
    const query = () => Promise.resolve({ rows: [anchorRow], rowCount: 1 });
    const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
    const pipelinedToCommit = ((work) => (commits.push(work), pipelined(work))) as typeof pipelined;
    const transaction = transactionOf({ pipelined, pipelinedToCommit });
    const { device, sessions, events } = sessionRows(aReport(), { applicationId, stateAt: 1_789_000_000 });
    const anchorRow = {
      device_key: device.key,
      id: sessions[0]!.id,
      ref: '1',
      received_at: 1_789_000_000,
      anchored_on: '2026-11-24',
      is_new: true,
    };
    // No upload can contain this time: it does not pass the contract.
    const broken = events.map((event) => ({ ...event, occurredAt: NaN }));
    const upload = { device, sessions, events: broken, nonce: null };
    await expect(store(transaction, [upload])).rejects.toThrow(RangeError);
    expect(commits).toEqual([]);
  },
);

test('the nonces and sessions that are copied are sorted, too', async () => {
  const copied: Buffer[] = [];
  const chunks = { sendCopyFromChunk: (chunk: Buffer) => copied.push(chunk) };
  const others = { cork() {}, uncork() {}, parse() {}, bind() {}, execute() {}, endCopyFrom() {}, sync() {} };
  const connection = { stream: others, ...others, ...chunks };
  const query = (statement: { submit?: (to: unknown) => void; handleReadyForQuery?: () => void }) => {
    statement.submit?.(connection);
    statement.handleReadyForQuery?.();
    return Promise.resolve({ rows: [], rowCount: 0 });
  };
  const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
  const transaction = transactionOf({ pipelined, pipelinedToCommit: pipelined });
  const uploads = Array.from({ length: 20 }, uploadOfOneSession);
  await storeNewUploads(transaction, uploads, takeNumbers);
  const [nonces, sessions] = copied.map((rows) => rows.toString('latin1'));
  const positions = (rows: string, texts: string[]) => texts.map((text) => rows.indexOf(text));
  const inOrder = [...uploads].sort((a, b) => (a.device.key < b.device.key ? -1 : 1));
  const sessionPlaces = positions(
    sessions!,
    inOrder.map((upload) => upload.sessions[0]!.id),
  );
  const noncePlaces = positions(nonces!, uploads.map(({ nonce }) => nonce.nonce).sort());
  for (const places of [sessionPlaces, noncePlaces]) {
    expect(Math.min(...places)).toBeGreaterThan(0);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  }
});

test('the rows of each statement are sorted, so that two batches never wait for each other in a circle', async () => {
  const firstColumns = new Map<string, string[]>();
  const query = ({ name, values }: { name: string; values: string[] }) => {
    firstColumns.set(name, values[0]!.slice(1, -1).split(','));
    return Promise.resolve({ rows: [], rowCount: firstColumns.get(name)!.length });
  };
  const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
  const transaction = transactionOf({ pipelined, pipelinedToCommit: pipelined });
  const uploads = Array.from({ length: 20 }, uploadOfOneSession);
  await storeUploads(transaction, uploads);
  expect([...firstColumns.keys()]).toEqual(['insert_new_nonces', 'upsert_sessions', 'upsert_devices']);
  for (const column of firstColumns.values()) {
    expect(column).toHaveLength(20);
    expect(column).toEqual(column.toSorted());
  }
});

test('the text of a prepared statement is the same for a batch of any size: pg rejects another one', async () => {
  const texts = new Map<string, Set<string>>();
  const query = ({ name, text, values }: { name: string; text: string; values: string[] }) => {
    texts.set(name, (texts.get(name) ?? new Set()).add(text));
    return Promise.resolve({ rows: [], rowCount: values[0]!.split(',').length });
  };
  const pipelined = ((work: (client: unknown) => unknown) => work({ query })) as PipelinedTransaction['pipelined'];
  const transaction = transactionOf({ pipelined, pipelinedToCommit: pipelined });
  for (const length of [1, 2, 20]) await storeUploads(transaction, Array.from({ length }, uploadOfOneSession));
  expect([...texts.values()].map(({ size }) => size)).toEqual([1, 1, 1]);
});
