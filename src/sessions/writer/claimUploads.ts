// The beginning of a batch's transaction: which uploads are to be stored, by their nonces, and the rows of their sessions.
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import type { PipelinedTransaction } from '../../platform/database/transaction.ts';
import { inKeyOrder, type NonceRow, type SessionRow, type Upload } from '../upload.ts';
import { acceptedUploads, firstNonces, nonceKey, outcomesOf, type AcceptedUploads } from './batchRows.ts';
import { findNonceBodies, insertNewNonces, insertNonces, upsertSessions, type SessionAnchor } from './uploadsStore.ts';

export interface ClaimedUploads extends AcceptedUploads {
  anchors: Map<string, SessionAnchor>;
}

/** Takes every nonce to be new, which nearly all are, and stores the sessions beside them; otherwise begins anew. */
export async function claimUploads(transaction: PipelinedTransaction, uploads: Upload[]): Promise<ClaimedUploads> {
  const first = firstNonces(uploads);
  const nonces = inKeyOrder(first);
  const hoped = acceptedUploads(uploads, outcomesOf(uploads, first, new Map()));
  const { allNew, anchors } = await transaction.pipelined(async (client) => {
    const claiming = nonces.length > 0 ? insertNewNonces(client, nonces) : true;
    const [allNew, anchors] = await Promise.all([claiming, storeSessions(client, hoped.sessions)]);
    return { allNew, anchors };
  });
  if (allNew) return { ...hoped, anchors };
  await transaction.rollBack();
  return claimAfterLook(transaction, uploads, { first, nonces });
}

/** Round trip by round trip: a refused upload must leave nothing behind. */
async function claimAfterLook(
  transaction: PipelinedTransaction,
  uploads: Upload[],
  { first, nonces }: { first: ReadonlyMap<string, NonceRow>; nonces: NonceRow[] },
): Promise<ClaimedUploads> {
  const isNew = await transaction.pipelined((client) => insertNonces(client, nonces));
  const taken = nonces.filter((_, index) => !isNew[index]);
  const bodies = taken.length > 0 ? await transaction.pipelined((client) => findNonceBodies(client, taken)) : [];
  const stored = new Map(taken.map((nonce, index) => [nonceKey(nonce), bodies[index]!]));
  const claimed = acceptedUploads(uploads, outcomesOf(uploads, first, stored));
  return { ...claimed, anchors: await transaction.pipelined((client) => storeSessions(client, claimed.sessions)) };
}

const storeSessions = async (client: SqlConnection, rows: SessionRow[]): Promise<Map<string, SessionAnchor>> =>
  rows.length > 0 ? upsertSessions(client, rows) : new Map<string, SessionAnchor>();
