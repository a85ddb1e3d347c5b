// Begins the transaction of a batch: decides by the nonces which uploads are stored, and stores their sessions.
import type { SqlConnection } from '../../platform/database/sqlClient.ts';
import type { PipelinedTransaction } from '../../platform/database/transaction.ts';
import { inKeyOrder, type NonceRow, type SessionRow, type Upload } from '../upload.ts';
import { acceptedUploads, firstNonces, nonceKey, outcomesOf, type AcceptedUploads } from './batchRows.ts';
import { findNonceBodies, insertNewNonces, insertNonces, upsertSessions, type SessionAnchor } from './uploadsStore.ts';

export interface ClaimedUploads extends AcceptedUploads {
  anchors: Map<string, SessionAnchor>;
}

/** Takes every nonce as new, as nearly all are, and stores the sessions with them. Where one is known it begins anew. */
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

/** One round trip after the other: a refused upload must not store anything. */
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
