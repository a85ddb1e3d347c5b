// POST /api/v1/session: one upload of a device is stored whole, once, before it is acknowledged.
import type { CampaignDirectory } from '../campaigns/campaignDirectory.ts';
import { AppError, unavailable } from '../platform/errors.ts';
import { overQuota, type Quotas } from '../quotas/quotas.ts';
import { signatureWindow } from '../platform/signature.ts';
import { sessionRows, type SessionReport } from './sessionRows.ts';
import type { Upload } from './upload.ts';
import type { UploadPlace, Uploads } from './writer/uploadWriter.ts';

export interface ReportSessionsRequest {
  /** Resolves to a body that has passed the contract. */
  read(place: UploadPlace): Promise<{ body: SessionReport }>;
  application: { id: string };
  /** Null where the upload was not signed; `timestamp` in Unix seconds. */
  signature: { nonce: string; timestamp: number; bodyHash: Buffer } | null;
  arrivedAt: Date;
}

export interface ReportSessionsAnswer {
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
): Promise<ReportSessionsAnswer> {
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
 * The body ends here: an upload that waits for its transaction holds its rows, and at most 64 KiB of text that their strings
 * were cut from.
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
