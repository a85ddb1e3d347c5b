// POST /api/v1/session: one upload of a device is stored whole, once, before it is acknowledged.
import type { CampaignDirectory } from '../campaigns/campaignDirectory.ts';
import type { DeviceNodes } from '../devices/deviceKey.ts';
import { FairQueue } from '../platform/concurrencyLimiter.ts';
import { AppError, unavailable } from '../platform/errors.ts';
import type { Metrics } from '../platform/observability/metrics.ts';
import { type OpenSpan, traced, type Tracing } from '../platform/observability/tracing/tracing.ts';
import { signatureWindow } from '../platform/signature.ts';
import { type Counted, noQuotas, overQuota, type Quotas, type UnsignedRequest } from '../quotas/quotas.ts';
import { type DeviceRow, type SessionReport, sessionRows, type Upload, type UploadOutcome } from './upload.ts';
import {
  type Added,
  GroupCommit,
  type GroupCommitHooks,
  type GroupCommitOptions,
  type StoreBatch,
  type StoredBatch,
  type StoreOptions,
  type Waiting as WaitingRows,
} from './writer/groupCommit.ts';
import { mostBytes } from './writer/storeBatch.ts';

export interface ReportSessionsRequest {
  /** Resolves to a body that has passed the contract. */
  read(place: UploadPlace): Promise<{ body: SessionReport }>;
  application: { id: string };
  /** Null where the upload was not signed; `timestamp` in Unix seconds. */
  signature: { nonce: string; timestamp: number; bodyHash: Buffer } | null;
  arrivedAt: Date;
}

export interface ReportSessionsResponse {
  body: Record<string, never>;
  headers: { 'X-Config-Revision': string };
}

interface Stores {
  uploads: Uploads;
  campaigns: CampaignDirectory;
  quotas: Pick<Quotas, 'refusesSigned'>;
}

/** Resolves after COMMIT. Throws `not_authenticated` (`nonce_reused`), `unavailable`, `validation_failed`. */
export async function reportSessions(
  request: ReportSessionsRequest,
  { uploads, campaigns, quotas }: Stores,
): Promise<ReportSessionsResponse> {
  const { application, arrivedAt, signature } = request;
  if (signature && quotas.refusesSigned(application.id)) throw overQuota();
  let revision = '';
  const outcome = await uploads.take(application.id, async (place) => {
    const upload = uploadOf(request, (await request.read(place)).body);
    // Before the upload is stored: a failure after COMMIT could only cost an acknowledged upload its response.
    revision = await campaigns.findRevision(application.id, arrivedAt);
    return upload;
  });
  if (outcome === 'over_quota') throw overQuota();
  if (outcome === 'node_away') throw unavailable();
  if (outcome === 'nonce_reused') {
    const serverTime = Math.floor(arrivedAt.getTime() / 1000);
    throw new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
  }
  return { body: {}, headers: { 'X-Config-Revision': revision } };
}

/**
 * In seconds. A nonce is kept for 15 minutes after its arrival (`deleteExpiredNonces`), at which its timestamp may have been
 * ahead.
 */
const nonceSurelyKnown = 15 * 60 - signatureWindow.ahead;

/**
 * The body is not kept: an upload that waits for its transaction holds its rows, and at most 64 KiB of text that their
 * strings were cut from.
 */
function uploadOf({ application, signature, arrivedAt }: ReportSessionsRequest, body: SessionReport): Upload {
  const arrival = arrivedAt.getTime() / 1000;
  // The end of the second: an upload that is signed in the second of the one before must not count as the older one.
  const stateAt = signature ? Math.min(signature.timestamp + 1, arrival) : arrival;
  const mayBeReplay = signature !== null && arrival - signature.timestamp > nonceSurelyKnown;
  const origin = { applicationId: application.id, stateAt, signed: signature !== null };
  const { device, sessions, events } = sessionRows(body, origin);
  const nonce = signature && { applicationId: application.id, nonce: signature.nonce, bodyHash: signature.bodyHash };
  return { device, sessions, events, nonce, mayBeReplay, counted: null };
}

// The writer of uploads: each upload waits until its application's turn comes, is read, and is stored in one transaction with others.

export interface UploadWriterOptions extends GroupCommitOptions {
  /** Uploads that are read side by side, at most. */
  readAtOnce: number;
}

/** What the edge and the operation know of the writer. */
export type Uploads = Pick<UploadWriter, 'isFull' | 'take'>;

/** The place of one upload in the writer. Only `take` makes a place, and no upload is read without one. */
class UploadPlace {
  readonly #metrics: Metrics;
  #events = 0;

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  /** Call it with the body, any JSON value, before the body is checked: its events count as received from here on. */
  receive(body: unknown): void {
    const events = countEvents(body);
    this.#events += events;
    this.#metrics.eventsReceived(events);
  }

  /** Invalid and repeated events included. */
  get eventsReceived(): number {
    return this.#events;
  }
}
export type { UploadPlace };

interface Waiting {
  begin(): void;
  refuse(): void;
}

export class UploadWriter {
  readonly #commits: GroupCommit;
  readonly #heavy = new HeavyDevices();
  readonly #heavyCommits: GroupCommit;
  readonly #held = new HeldDevices();
  readonly #heldCommits: GroupCommit;
  readonly #options: UploadWriterOptions;
  readonly #metrics: Metrics;
  /** Uploads that have a place, until they have their outcome. */
  #places = 0;
  /** Those of them that are being read or stored. */
  #begun = 0;
  /** The others. Applications take turns. */
  readonly #unread = new FairQueue<Waiting>();

  constructor(store: StoreBatch, options: UploadWriterOptions, metrics: Metrics) {
    this.#options = options;
    this.#metrics = metrics;
    const isReading = (): boolean => this.#beingRead > 0;
    const measured = this.#heavy.learn.bind(this.#heavy);
    const learning: StoreBatch = (uploads, how) => store(uploads, { ...how, measured });
    const setApart = (waiting: WaitingRows): void => this.#setApart(waiting);
    const batchTaken = (): void => this.#readOn();
    this.#commits = new GroupCommit(learning, options, { metrics, isReading, batchTaken, setApart });
    this.#heavyCommits = createHeavyCommits(learning, options, { metrics, setApart });
    this.#heldCommits = createHeldCommits(this.#held.forgetting(learning), options, metrics);
    metrics.observeQueue(() => this.#unread.length + this.#commits.waiting + this.#apart((commits) => commits.waiting));
  }

  /**
   * Whether an upload of this application that arrived now would be refused: the edge asks before it reads a byte of the
   * body. `isCrowded` says that the waiting bodies take the memory that they may. Where many uploads of one application
   * wait, one of another application takes the place of the latest of them.
   */
  isFull(applicationId: string, isCrowded = false): boolean {
    if (this.#commits.full) return true;
    return (isCrowded || !this.#hasPlace()) && !this.#unread.mayPushOut(applicationId);
  }

  #hasPlace(): boolean {
    return this.#places - this.#commits.storing - this.#apartUnderWay < this.#options.queueSize;
  }

  /**
   * Throws `unavailable` when there is no place. Otherwise it calls `read` in its turn, stores the result, and resolves
   * after COMMIT. Every event that its place received counts once, as inserted, duplicate or rejected. An upload takes
   * its place before it is read: otherwise the service would read and check all uploads of a pause, and refuse most of
   * them afterwards.
   */
  async take(applicationId: string, read: (place: UploadPlace) => Promise<Upload>): Promise<UploadOutcome> {
    if (this.isFull(applicationId)) throw unavailable();
    if (!this.#hasPlace()) this.#unread.pushOut()!.refuse();
    const place = new UploadPlace(this.#metrics);
    const since = performance.now();
    this.#places += 1;
    await this.#waitForTurn(applicationId);
    try {
      if (performance.now() - since > this.#options.respondWithinMillis) throw unavailable();
      let upload: Upload;
      try {
        upload = await read(place);
      } catch (error) {
        this.#metrics.eventsRejected(place.eventsReceived);
        throw error;
      }
      const stored = this.#commitsOf(upload).store(upload, place.eventsReceived);
      this.#readOn();
      return await stored;
    } finally {
      this.#places -= 1;
      this.#begun -= 1;
      this.#readOn();
      this.#commits.beginSoon();
    }
  }

  #commitsOf({ device }: Upload): GroupCommit {
    if (this.#held.has(device.key)) return this.#heldCommits;
    return this.#heavy.has(device) ? this.#heavyCommits : this.#commits;
  }

  /** Its batch goes no further for it. Its client waits for the attempt that it gets apart. */
  #setApart({ upload, eventsSent, resolve, reject }: WaitingRows): void {
    this.#held.add(upload.device.key);
    this.#heldCommits.store(upload, eventsSent).then(resolve, reject);
  }

  #waitForTurn(applicationId: string): Promise<void> {
    return new Promise((begin, reject) => {
      const refuse = (): void => {
        this.#places -= 1;
        reject(unavailable());
      };
      this.#unread.add(applicationId, { begin, refuse });
      this.#readOn();
    });
  }

  /**
   * Beyond a whole batch and the uploads that are being read, uploads wait as bytes: rows are many objects, and each
   * garbage collection copies waiting rows. The service took 273 instead of 252 at five times the load
   * (docs/decisions/upload-reading.md).
   */
  #readOn(): void {
    const mayRead = (): boolean => this.#beingRead < this.#options.readAtOnce && !this.#commits.holdsBatch();
    while (this.#unread.length > 0 && mayRead()) {
      this.#begun += 1;
      this.#unread.next()!.item.begin();
    }
  }

  get #beingRead(): number {
    return this.#begun - this.#commits.storing - this.#commits.waiting - this.#apartUnderWay;
  }

  /** They have bounds of their own, and take no place from other uploads. */
  get #apartUnderWay(): number {
    return this.#apart(({ storing, waiting }) => storing + waiting);
  }

  #apart(count: (commits: GroupCommit) => number): number {
    return count(this.#heavyCommits) + count(this.#heldCommits);
  }
}

function countEvents(body: unknown): number {
  let count = 0;
  for (const session of listAt(body, 'sessions')) count += listAt(session, 'events').length;
  return count;
}

function listAt(value: unknown, name: string): unknown[] {
  const list = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return Array.isArray(list) ? list : [];
}

// Devices whose stored user properties are long, and the transactions of their uploads, apart from those of other uploads.

/** A change of so many characters costs PostgreSQL about 2 ms, and one of 3.5 million characters 90 ms. */
const heavyCharacters = 65_536;
/** Of heavy devices, and of held ones. */
const devicesKept = 10_000;

/** What this process knows: a process learns from the first change that it stores for a device. */
export class HeavyDevices {
  readonly #keys = new Set<string>();

  /** All uploads of such a device are heavy: an empty delta in another queue would overtake the change before it. */
  has({ key, userProperties }: Pick<DeviceRow, 'key' | 'userProperties'>): boolean {
    if (userProperties.length > heavyCharacters) this.learn(key, userProperties.length);
    return this.#keys.has(key);
  }

  /** A device stays heavy until so many others came later. */
  learn(key: string, characters: number): void {
    if (characters <= heavyCharacters) return;
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size > devicesKept) this.#keys.delete(this.#keys.values().next().value!);
  }
}

/**
 * One upload at a time, and then a pause of three times its duration: heavy uploads take at most a quarter of one
 * connection. The longest pause is a second, so that a database that stalls does not stop them.
 */
export function createHeavyCommits(
  store: StoreBatch,
  options: GroupCommitOptions,
  { metrics, setApart }: Pick<GroupCommitHooks, 'metrics' | 'setApart'>,
): GroupCommit {
  const bounds = { ...options, transactionsAtOnce: 1, batchUploads: 1, queueSize: 16 };
  const pauseMillis = (tookMillis: number): number => Math.min(3 * tookMillis, 1_000);
  const hooks = { metrics, isReading: () => true, batchTaken: () => undefined, setApart };
  const apart: StoreBatch = (uploads, how) => store(uploads, { ...how, apart: true });
  return new GroupCommit(apart, { ...bounds, pauseMillis }, hooks);
}

// Uploads behind rows that an undecided commit holds on a node of a cluster, in transactions apart from those of other uploads.

/**
 * Devices of batches that have met such a row, each until an upload of it is stored. So a held row stops one batch and no
 * further one: the next uploads of its device are tried apart.
 */
export class HeldDevices {
  readonly #keys = new Set<string>();

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  add(key: string): void {
    this.#keys.delete(key);
    this.#keys.add(key);
    if (this.#keys.size > devicesKept) this.#keys.delete(this.#keys.values().next().value!);
  }

  /** The store that forgets the devices of the uploads which it has stored. */
  forgetting(store: StoreBatch): StoreBatch {
    return async (uploads: Upload[], options) => {
      const stored = await store(uploads, options);
      uploads.forEach(({ device }, index) => stored.outcomes[index] === 'stored' && this.#keys.delete(device.key));
      return stored;
    };
  }
}

/** With the 300 ms of the batch that failed, a client has its response within a second (docs/operating/cluster.md, "When a node is away"). */
const respondWithinMillis = 600;

/** One upload a transaction, four side by side. What waits for longer than 600 ms is refused. */
export function createHeldCommits(store: StoreBatch, options: GroupCommitOptions, metrics: Metrics): GroupCommit {
  const bounds = { ...options, transactionsAtOnce: 4, batchUploads: 1, queueSize: 64, respondWithinMillis };
  const hooks = { metrics, isReading: () => true, batchTaken: () => undefined };
  const apart: StoreBatch = (uploads, how) => store(uploads, { ...how, apart: true, held: true });
  return new GroupCommit(apart, bounds, hooks);
}

// The span of a batch: a decorator around the writer and its store, so that both know nothing of traces.

/**
 * A batch belongs to the trace of its first request that the sampler has kept, and is linked to the others in both
 * directions: so every trace that is kept leads to its transaction. A batch without such a request has no span.
 */
export function traceUploads(tracing: Tracing) {
  const requests = new WeakMap<Upload, OpenSpan>();
  const requestsOf = (uploads: Upload[]): OpenSpan[] => uploads.flatMap((upload) => requests.get(upload) ?? []);
  return {
    store: (store: StoreBatch): StoreBatch => {
      return (uploads, options) => {
        const links = requestsOf(uploads);
        const [first, ...others] = links;
        // Any request may have started this transaction: the batch belongs to none of their traces.
        if (!first) return tracing.outside(() => store(uploads, options));
        const start = {
          name: 'store batch',
          kind: 'internal',
          parent: first,
          links,
          attributes: sizeOf(uploads),
        } as const;
        return traced(tracing, start, (batch) => {
          for (const request of others) request.link(batch!);
          return store(uploads, options);
        });
      };
    },
    uploads: (writer: Uploads): Uploads => ({
      isFull: (applicationId, isCrowded) => writer.isFull(applicationId, isCrowded),
      take: (applicationId, read) =>
        writer.take(applicationId, async (place) => {
          const upload = await read(place);
          const request = tracing.current();
          if (request) requests.set(upload, request);
          return upload;
        }),
    }),
  };
}

const sizeOf = (uploads: Upload[]) => ({
  'batch.uploads': uploads.length,
  'batch.events': uploads.reduce((sum, { events }) => sum + events.length, 0),
});

// Quotas of uploads: a decorator around the store of batches.

type UploadQuotas = Pick<Quotas, 'admitUploads' | 'withoutReports' | 'addSigned'>;

/**
 * An upload that a quota refuses is left out of its batch, and has the outcome `over_quota`. The admission of an upload is
 * kept in the upload, and not in a Map, for the reason that src/platform/httpServer/httpServer.ts gives.
 */
export function storeWithinQuotas(store: StoreBatch, quotas: UploadQuotas): StoreBatch {
  if (quotas === noQuotas) return store;
  return async (uploads, options) => {
    const stored = await storeUnsignedWithin(store, quotas, { uploads, options });
    addSigned(uploads, stored, quotas);
    return stored;
  };
}

/**
 * All of a signed upload counts, also what is stored already: only one more statement could tell that part. A repeat with
 * the same nonce counts nothing.
 */
function addSigned(uploads: readonly Upload[], { outcomes }: StoredBatch, quotas: UploadQuotas): void {
  const sums: { applicationId: string; bytes: number }[] = [];
  uploads.forEach((upload, index) => {
    if (!upload.device.signed || outcomes[index] !== 'stored') return;
    const { applicationId } = upload.device;
    const sum = sums.find((each) => each.applicationId === applicationId);
    if (sum) sum.bytes += mostBytes(upload);
    else sums.push({ applicationId, bytes: mostBytes(upload) });
  });
  for (const { applicationId, bytes } of sums) quotas.addSigned(applicationId, bytes);
}

interface Batch {
  uploads: Upload[];
  options: StoreOptions;
}

async function storeUnsignedWithin(store: StoreBatch, quotas: UploadQuotas, batch: Batch): Promise<StoredBatch> {
  const { uploads, options } = batch;
  const unsigned = uploads.filter(({ device }) => !device.signed);
  if (unsigned.length === 0) return store(uploads, options);
  const admissions = await quotas.admitUploads(unsigned.map(requestOf));
  unsigned.forEach(({ counted }, index) => (counted!.admission = admissions[index]!));
  try {
    return await storeAdmitted(store, quotas, batch);
  } finally {
    for (const admission of new Set(admissions)) if (typeof admission === 'object') admission.leave();
  }
}

const isRefused = ({ counted }: Upload): boolean => counted?.admission === 'refused';

async function storeAdmitted(
  store: StoreBatch,
  quotas: UploadQuotas,
  { uploads, options }: Batch,
): Promise<StoredBatch> {
  const admitted = uploads.some(isRefused) ? uploads.filter((upload) => !isRefused(upload)) : uploads;
  if (admitted.length === 0) return { outcomes: uploads.map(() => 'over_quota'), eventsInserted: 0 };
  const stored = await store(admitted, options);
  await count(stored.added ?? [], quotas);
  if (admitted === uploads) return stored;
  const outcomes = stored.outcomes.values();
  const outcomeOf = (upload: Upload) => (isRefused(upload) ? 'over_quota' : outcomes.next().value!);
  return { ...stored, outcomes: uploads.map(outcomeOf) };
}

/** A new device counts once, unless it has sent attribution or transactions before. */
async function count(added: readonly Added[], quotas: UploadQuotas): Promise<void> {
  const newKeys = added.filter(({ device }) => device.isNew).map(({ device }) => device.key);
  const strange = newKeys.length > 0 ? await quotas.withoutReports(newKeys) : noKeys;
  const sums: { counted: Counted; bytes: number; devices: number }[] = [];
  for (const { upload, bytes, device } of added) {
    const counted = upload.counted!.admission;
    if (counted === null || typeof counted === 'string' || device.signed) continue;
    let sum = sums.find((each) => each.counted === counted);
    if (!sum) sums.push((sum = { counted, bytes: 0, devices: 0 }));
    sum.bytes += bytes;
    sum.devices += device.isNew && strange.has(device.key) ? 1 : 0;
  }
  for (const { counted, bytes, devices } of sums) counted.added({ bytes, devices });
}

const noKeys: ReadonlySet<string> = new Set();

/** Marks the upload: its store then says what it has added. */
function requestOf(upload: Upload): UnsignedRequest {
  const { applicationId, key: deviceKey } = upload.device;
  const bytes = mostBytes(upload);
  upload.counted = { mostBytes: bytes, admission: null };
  return { applicationId, operation: 'reportSessions', deviceKey, bytes };
}

// A decorator around the store of batches: on a cluster, uploads whose node is there are stored while another node is away.

export type NodesOfDevices = Pick<DeviceNodes, 'someAway' | 'onAwayNodes' | 'lookAfter'>;

/** An upload of a device whose node is away has the outcome `node_away`. Without such a node it sends no statement. */
export function storeBesideAwayNodes(store: StoreBatch, nodes: NodesOfDevices): StoreBatch {
  return async (uploads, options) => {
    if (nodes.someAway) {
      const away = await nodes.onAwayNodes(keysOf(uploads));
      if (away.size > 0) return storeOthers(uploads, away, (others) => store(others, options));
    }
    try {
      return await store(uploads, options);
    } catch (error) {
      // While the coordinator is away, the first error names the cause.
      const away = await nodes.lookAfter(error, keysOf(uploads)).catch(() => null);
      if (away === null || (away.size === 0 && !isLostConnection(error))) throw error;
      return storeOthers(uploads, away, (others) => store(others, { ...options, behind: false }));
    }
  };
}

async function storeOthers(
  uploads: Upload[],
  away: ReadonlySet<string>,
  store: (others: Upload[]) => Promise<StoredBatch>,
): Promise<StoredBatch> {
  const others = uploads.filter(({ device }) => !away.has(device.key));
  const stored = others.length > 0 ? await store(others) : { outcomes: [], eventsInserted: 0 };
  const outcomes = stored.outcomes.values();
  return {
    ...stored,
    outcomes: uploads.map(({ device }) => (away.has(device.key) ? 'node_away' : outcomes.next().value!)),
  };
}

const keysOf = (uploads: Upload[]): string[] => uploads.map(({ device }) => device.key);

/** A kept connection to a node that has been away and is there again. Another attempt takes a new one. */
function isLostConnection(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && (code === 'XX000' || code.startsWith('08'));
}
