// POST /api/v1/session: one upload of a device is stored whole, once, before it is acknowledged.
import type { CampaignDirectory } from '../campaigns/campaignDirectory.ts';
import { AppError } from '../platform/errors.ts';
import { countEvents } from './eventCount.ts';
import { sessionRows, type SessionReport } from './sessionRows.ts';
import type { Upload } from './upload.ts';
import type { Uploads } from './writer/uploadWriter.ts';

export interface ReportSessionsRequest {
  /** Has passed the contract. */
  body: SessionReport;
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
}

/**
 * Resolves after COMMIT. Throws `not_authenticated` (`nonce_reused`), `unavailable`, `validation_failed`. The body ends
 * here: what waits for its transaction holds its rows, and at most 64 KiB of text that their strings were cut from.
 */
export function reportSessions(
  { body, application, signature, arrivedAt }: ReportSessionsRequest,
  stores: Stores,
): Promise<ReportSessionsAnswer> {
  const stateAt = signature?.timestamp ?? arrivedAt.getTime() / 1000;
  const { device, sessions, events } = sessionRows(body, { applicationId: application.id, stateAt });
  const nonce = signature && { applicationId: application.id, nonce: signature.nonce, bodyHash: signature.bodyHash };
  const upload = { device, sessions, events, nonce, eventsSent: countEvents(body) };
  return storeUpload(upload, { applicationId: application.id, arrivedAt }, stores);
}

async function storeUpload(
  upload: Upload,
  { applicationId, arrivedAt }: { applicationId: string; arrivedAt: Date },
  { uploads, campaigns }: Stores,
): Promise<ReportSessionsAnswer> {
  // Before the upload is stored: a failure after COMMIT could only cost an acknowledged upload its answer.
  const revision = await campaigns.findRevision(applicationId, arrivedAt).catch((error: unknown) => {
    uploads.turnAway(upload);
    throw error;
  });
  const outcome = await uploads.submit(upload);
  if (outcome === 'nonce_reused') {
    const serverTime = Math.floor(arrivedAt.getTime() / 1000);
    throw new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
  }
  return { body: {}, headers: { 'X-Config-Revision': revision } };
}
