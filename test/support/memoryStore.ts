// A writer of uploads over a store in memory, whose batches tests can delay or refuse.
import type { AppError } from '../../src/platform/errors.ts';
import { createMetrics } from '../../src/platform/observability/metrics.ts';
import { PropertyWriter } from '../../src/sessions/upload.ts';
import type { Upload } from '../../src/sessions/upload.ts';
import { GroupCommit, type StoreBatch } from '../../src/sessions/writer/groupCommit.ts';
import { UploadWriter, type UploadPlace, type UploadWriterOptions } from '../../src/sessions/reportSessions.ts';

const options = {
  queueSize: 100,
  queueCharacters: 1_000_000,
  queueMillis: 10_000,
  readAtOnce: 4,
  transactionsAtOnce: 1,
  slowMillis: 10_000,
  batchUploads: 8,
  batchEvents: 100,
  batchCharacters: 1_000_000,
  respondWithinMillis: 20_000,
};

export const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Each event has params of `characters` characters of JSON: 2 for none, or 7 and more for one. */
export function upload(id: string, { events = 1, characters = 2 } = {}): Upload {
  const params = characters > 2 ? [{ name: '', value: 'x'.repeat(characters - 7) }] : [];
  return {
    device: { id, key: id, userProperties: '' },
    sessions: [],
    events: Array(events).fill({ params: new PropertyWriter(characters).write(params) }),
    nonce: null,
  } as unknown as Upload;
}

/** Keeps the batches that it received. `judge` may refuse a batch; while `hold` is set, no transaction ends. */
export function memoryStore(judge: (ids: string[]) => string | undefined = () => undefined) {
  const store = {
    batches: [] as string[][],
    /** The batches that may be sent before the running transaction has ended. */
    behind: [] as string[][],
    stored: new Set<string>(),
    hold: null as Promise<void> | null,
    atOnce: 0,
  };
  let running = 0;
  const write: StoreBatch = async (uploads, { behind }) => {
    const ids = uploads.map(({ device }) => device.id);
    store.batches.push(ids);
    if (behind) store.behind.push(ids);
    store.atOnce = Math.max(store.atOnce, ++running);
    await (store.hold ?? nextTurn());
    running -= 1;
    const code = judge(ids);
    if (code !== undefined) throw Object.assign(new Error(`refused with ${code}`), { code });
    for (const id of ids) store.stored.add(id);
    const events = uploads.reduce((sum, each) => sum + each.events.length, 0);
    return { outcomes: ids.map(() => 'stored' as const), eventsInserted: events };
  };
  return { store, write };
}

export function gate(): { hold: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const hold = new Promise<void>((resolve) => (open = resolve));
  return { hold, open: () => open() };
}

/** Sends uploads to the UploadWriter. */
export function newWriter(write: StoreBatch, changed: Partial<UploadWriterOptions> = {}) {
  const metrics = createMetrics();
  const writer = new UploadWriter(write, { ...options, ...changed }, metrics);
  return { writer, metrics, submit: (...ids: string[]) => ids.map((id) => writer.take('app', reading(upload(id)))) };
}

/** Reads `one` at once, from a body with as many events. */
export const reading =
  (one: Upload) =>
  async (place: UploadPlace): Promise<Upload> => {
    place.receive({ sessions: [{ events: one.events }] });
    return one;
  };

/**
 * Adds uploads that have been read, while another upload is being read: so no batch is sent behind the running
 * transaction.
 */
export function newCommit(write: StoreBatch, changed: Partial<UploadWriterOptions> = {}) {
  const metrics = createMetrics();
  const surroundings = { metrics, isReading: () => true, batchTaken: () => undefined };
  const commit = new GroupCommit(write, { ...options, ...changed }, surroundings);
  const send = (one: Upload, eventsSent = one.events.length) => commit.store(one, eventsSent);
  return { commit, metrics, send, submit: (...ids: string[]) => ids.map((id) => send(upload(id))) };
}

/** The outcome of each upload: its result, the code of its refusal, or the message of its error. */
export async function settled(submitted: Promise<unknown>[]): Promise<unknown[]> {
  return Promise.all(submitted.map((each) => each.catch((error: Error) => (error as AppError).code ?? error.message)));
}

export const ids = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `u${from + i}`);
