// POST /api/v1/session: one upload of a device is stored whole, once, before it is acknowledged.
import type { Pool } from 'pg';
import type { CampaignDirectory } from '../campaigns/campaignDirectory.ts';
import { AppError } from '../platform/errors.ts';
import type { Admission, Quotas } from '../quotas/quotas.ts';
import { signatureWindow } from '../platform/signature.ts';
import { sessionRows, type SessionReport } from './sessionRows.ts';
import type { Upload } from './upload.ts';
import { bytesOfUpload } from './writer/addedBytes.ts';
import { holdsState } from './writer/deviceStateStore.ts';
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
  quotas: Quotas;
  pool: Pool;
}

/** Resolves after COMMIT. Throws `not_authenticated` (`nonce_reused`), `unavailable`, `validation_failed`. */
export async function reportSessions(
  request: ReportSessionsRequest,
  { uploads, campaigns, quotas, pool }: Stores,
): Promise<ReportSessionsAnswer> {
  const { application, signature, arrivedAt } = request;
  let revision = '';
  let admission: Admission | null = null;
  const taking = uploads.take(async (place) => {
    const upload = uploadOf(request, (await request.read(place)).body);
    if (!signature && (admission = await admit(upload, quotas))) {
      upload.added = admission.added;
      upload.holdsState = await holdsState(pool, upload.device);
    }
    // Before the upload is stored: a failure after COMMIT could only cost an acknowledged upload its response.
    revision = await campaigns.findRevision(application.id, arrivedAt);
    return upload;
  });
  const outcome = await (signature ? taking : taking.finally(() => admission?.leave()));
  if (outcome === 'nonce_reused') {
    const serverTime = Math.floor(arrivedAt.getTime() / 1000);
    throw new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
  }
  return { body: {}, headers: { 'X-Config-Revision': revision } };
}

/** Throws `unavailable` where a quota is used up. */
function admit(upload: Upload, quotas: Quotas): Promise<Admission | null> {
  const { applicationId, key: deviceKey } = upload.device;
  return quotas.admit({ applicationId, operation: 'reportSessions', deviceKey, bytes: bytesOfUpload(upload) });
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
  return { device, sessions, events, nonce, mayBeReplay };
}
