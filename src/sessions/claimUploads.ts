// The beginning of a batch's transaction: which uploads are to be stored, by their nonces, and the rows of their sessions.
import type { SqlConnection } from '../platform/database/sqlClient.ts';
import type { PipelinedTransaction } from '../platform/database/transaction.ts';
import { mergeSessions, sessionKey, sortedBy } from './upload.ts';
import type { NonceRow, SessionRow, Upload, UploadOutcome } from './upload.ts';
import { findNonceBodies, insertNewNonces, insertNonces, upsertSessions, type SessionAnchor } from './uploadsStore.ts';

export interface ClaimedUploads {
  outcomes: UploadOutcome[];
  accepted: Upload[];
  sessions: SessionRow[];
  anchors: Map<string, SessionAnchor>;
}

/** Takes every nonce to be new, which nearly all are, and stores the sessions beside them; otherwise begins anew. */
export async function claimUploads(transaction: PipelinedTransaction, uploads: Upload[]): Promise<ClaimedUploads> {
  const nonces = distinctNonces(uploads);
  const unknown = new Map<string, Buffer | null>();
  const hoped = acceptedUploads(uploads, outcomesOf(uploads, nonces, unknown));
  const { allNew, anchors } = await transaction.pipelined(async (client) => {
    const claiming = nonces.length > 0 ? insertNewNonces(client, nonces) : true;
    const [allNew, anchors] = await Promise.all([claiming, storeSessions(client, hoped.sessions)]);
    return { allNew, anchors };
  });
  if (allNew) return { ...hoped, anchors };
  await transaction.rollBack();
  return claimAfterLook(transaction, uploads, nonces);
}

/** Round trip by round trip: a refused upload must leave nothing behind. */
async function claimAfterLook(
  transaction: PipelinedTransaction,
  uploads: Upload[],
  nonces: NonceRow[],
): Promise<ClaimedUploads> {
  const isNew = await transaction.pipelined((client) => insertNonces(client, nonces));
  const taken = nonces.filter((_, index) => !isNew[index]);
  const bodies = taken.length > 0 ? await transaction.pipelined((client) => findNonceBodies(client, taken)) : [];
  const stored = new Map(taken.map((row, index) => [nonceKey(row), bodies[index]!]));
  const claimed = acceptedUploads(uploads, outcomesOf(uploads, nonces, stored));
  return { ...claimed, anchors: await transaction.pipelined((client) => storeSessions(client, claimed.sessions)) };
}

const storeSessions = async (client: SqlConnection, rows: SessionRow[]): Promise<Map<string, SessionAnchor>> =>
  rows.length > 0 ? upsertSessions(client, rows) : new Map<string, SessionAnchor>();

/** The first of each nonce, sorted by key. */
function distinctNonces(uploads: Upload[]): NonceRow[] {
  const first = new Map<string, NonceRow>();
  for (const { nonce } of uploads) {
    if (nonce && !first.has(nonceKey(nonce))) first.set(nonceKey(nonce), nonce);
  }
  return sortedBy([...first.values()], nonceKey);
}

/** A nonce that comes again with the same body is a retry whose reply was lost; with another body it is a replay. */
function outcomesOf(uploads: Upload[], nonces: NonceRow[], stored: Map<string, Buffer | null>): UploadOutcome[] {
  const first = new Map(nonces.map((row) => [nonceKey(row), row]));
  return uploads.map(({ nonce }) => {
    if (!nonce) return 'stored';
    const key = nonceKey(nonce);
    const earlier = stored.has(key) ? stored.get(key) : first.get(key) === nonce ? undefined : first.get(key)!.bodyHash;
    if (earlier === undefined) return 'stored';
    return earlier?.equals(nonce.bodyHash) ? 'repeated' : 'nonce_reused';
  });
}

function acceptedUploads(uploads: Upload[], outcomes: UploadOutcome[]): Omit<ClaimedUploads, 'anchors'> {
  const accepted = uploads.filter((_, index) => outcomes[index] === 'stored');
  return { outcomes, accepted, sessions: mergedSessions(accepted) };
}

function mergedSessions(uploads: Upload[]): SessionRow[] {
  const merged = new Map<string, SessionRow>();
  for (const session of uploads.flatMap((upload) => upload.sessions)) {
    const key = sessionKey(session, session.id);
    const known = merged.get(key);
    merged.set(key, known ? mergeSessions(known, session) : session);
  }
  return sortedBy([...merged.values()], (row) => sessionKey(row, row.id));
}

function nonceKey({ applicationId, nonce }: NonceRow): string {
  return `${nonce}\0${applicationId}`;
}
