// The dependencies of a service without a database: what reaches the database would have been accepted, and says so.
import { batching } from '../../../src/compose/composeDeps.ts';
import type { Deps } from '../../../src/deps.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { createMetrics } from '../../../src/platform/observability/metrics.ts';
import type { operations } from '../../../src/http/publicOperations.ts';
import { noQuotas } from '../../../src/quotas/quotas.ts';
import { packId, timestampText, type Upload } from '../../../src/sessions/upload.ts';
import type { StoreBatch } from '../../../src/sessions/writer/groupCommit.ts';
import { UploadWriter } from '../../../src/sessions/reportSessions.ts';

export const memoryKey = { public: `pub_${'a'.repeat(32)}`, secret: `sec_${'b'.repeat(32)}` };
const application = { id: '0192f0c4-1111-7000-8000-000000000001', key: memoryKey };

type NeedsOf<Handler> = Handler extends (request: never, needs: infer Needs) => unknown ? keyof Needs : never;
/** What the handlers of openapi.yaml take from Deps: one that is missing here does not compile. */
type Needed = NeedsOf<(typeof operations)[keyof typeof operations]>;

export function memoryDeps(): Deps {
  const metrics = createMetrics();
  return {
    log: createLog('silent'),
    metrics,
    pool: { query: async () => ({ rows: [], rowCount: 0 }) },
    applications: {
      find: async (key: string) => (key === memoryKey.public ? application : null),
      peek: () => undefined,
    },
    keyUses: { note: () => undefined },
    quotas: noQuotas,
    issues: { note: () => undefined },
    campaigns: {
      find: async () => ({ revision: 'r-1', campaigns: [], until: Infinity }),
      findRevision: async () => 'r-1',
    },
    uploads: new UploadWriter(
      storeBatch,
      { ...batching, queueSize: 512, queueMillis: 60_000, respondWithinMillis: 60_000 },
      metrics,
    ),
    nonceTaken: async () => false,
    storeTransactions: async () => 0,
    storeNotifications: { find: async () => null },
    nodes: { during: async (_device: string, work: (limits: object) => Promise<unknown>) => work({}) },
    signatureRequired: false,
    respondWithinMillis: 20_000,
    now: () => new Date(),
  } satisfies Record<Needed, unknown> & Record<string, unknown> as unknown as Deps;
}

const storeBatch: StoreBatch = async (uploads) => {
  uploads.forEach(asWritten);
  return { outcomes: uploads.map(() => 'stored'), eventsInserted: 0 };
};

/** What the writer makes of each row before PostgreSQL sees it. */
function asWritten({ device, events, sessions }: Upload): void {
  for (const text of [device.properties, device.userProperties, ...events.map(({ params }) => params.toString())])
    JSON.parse(text);
  for (const { id, occurredAt } of events) assertText(timestampText(occurredAt) + packId(id).toString('hex'));
  for (const { startedAt, finishedAt } of sessions)
    assertText(timestampText(startedAt) + timestampText(finishedAt ?? 0));
}

function assertText(text: string): void {
  if (/NaN|undefined|Invalid/.test(text)) throw new Error(`a row holds ${text}`);
}
