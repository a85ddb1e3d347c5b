// Which uploads of a batch are to be stored, by what is known of their nonces, and the sessions they bring.
import { inKeyOrder, mergeSessions, sessionKey } from '../upload.ts';
import type { NonceRow, SessionRow, Upload, UploadOutcome } from '../upload.ts';

export interface AcceptedUploads {
  /** One for each upload of the batch. */
  outcomes: UploadOutcome[];
  accepted: Upload[];
  /** Unique and sorted by device and id. */
  sessions: SessionRow[];
}

/** The first of each nonce by its key. */
export function firstNonces(uploads: Upload[]): Map<string, NonceRow> {
  const first = new Map<string, NonceRow>();
  for (const { nonce } of uploads) {
    if (!nonce) continue;
    const key = nonceKey(nonce);
    if (!first.has(key)) first.set(key, nonce);
  }
  return first;
}

/** A nonce that comes again with the same body is a retry whose reply was lost; with another body it is a replay. */
export function outcomesOf(
  uploads: Upload[],
  first: ReadonlyMap<string, NonceRow>,
  stored: ReadonlyMap<string, Buffer | null>,
): UploadOutcome[] {
  // As nearly always.
  if (stored.size === 0 && first.size === uploads.length) return uploads.map(() => 'stored');
  return uploads.map(({ nonce }) => {
    if (!nonce) return 'stored';
    const key = nonceKey(nonce);
    const earlier = stored.has(key) ? stored.get(key) : first.get(key) === nonce ? undefined : first.get(key)!.bodyHash;
    if (earlier === undefined) return 'stored';
    return earlier?.equals(nonce.bodyHash) ? 'repeated' : 'nonce_reused';
  });
}

export function acceptedUploads(uploads: Upload[], outcomes: UploadOutcome[]): AcceptedUploads {
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
  return inKeyOrder(merged);
}

export function nonceKey({ applicationId, nonce }: NonceRow): string {
  return `${nonce}\0${applicationId}`;
}
