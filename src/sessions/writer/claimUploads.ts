// The beginning of a batch's transaction: which uploads are to be stored, by their nonces, and the rows of their sessions.
import type { PipelinedTransaction, Transaction } from '../../platform/database/transaction.ts';
import { inKeyOrder, type NonceRow, type Upload } from '../upload.ts';
import {
  acceptedUploads,
  claimedSessions,
  firstNonces,
  nonceKey,
  outcomesOf,
  type AcceptedUploads,
} from './batchRows.ts';
import { findNonceBodies, insertNewNonces, insertNonces, upsertSessions, type SessionAnchor } from './uploadsStore.ts';

export interface ClaimedUploads extends AcceptedUploads {
  anchors: Map<string, SessionAnchor>;
}

/**
 * Takes every nonce as new, as nearly all are, and stores the sessions with them. When a nonce is known, it begins
 * again.
 */
export async function claimUploads(transaction: PipelinedTransaction, uploads: Upload[]): Promise<ClaimedUploads> {
  const first = firstNonces(uploads);
  const nonces = inKeyOrder(first);
  const hoped = acceptedUploads(uploads, outcomesOf(uploads, first, new Map()));
  const { allNew, anchors } = await transaction.pipelined(async (pipeline) => {
    const claiming = nonces.length > 0 ? insertNewNonces(pipeline, nonces) : true;
    const [allNew, anchors] = await Promise.all([claiming, storeSessions(pipeline, hoped)]);
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
  const isNew = await transaction.pipelined((pipeline) => insertNonces(pipeline, nonces));
  const taken = nonces.filter((_, index) => !isNew[index]);
  const bodies = taken.length > 0 ? await transaction.pipelined((pipeline) => findNonceBodies(pipeline, taken)) : [];
  const stored = new Map(taken.map((nonce, index) => [nonceKey(nonce), bodies[index]!]));
  const claimed = acceptedUploads(uploads, outcomesOf(uploads, first, stored));
  return { ...claimed, anchors: await transaction.pipelined((pipeline) => storeSessions(pipeline, claimed)) };
}

/** One statement a round: none may change a row twice. The first round tells which sessions were new. */
async function storeSessions(transaction: Transaction, uploads: AcceptedUploads): Promise<Map<string, SessionAnchor>> {
  const [anchors] = await Promise.all(
    claimedSessions(uploads).map(async (rows) =>
      rows.length > 0 ? upsertSessions(transaction, rows) : new Map<string, SessionAnchor>(),
    ),
  );
  return anchors!;
}
