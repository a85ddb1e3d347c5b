// POST /api/v1/session: one upload of a device is stored whole, once, before it is acknowledged.
import { AppError } from '../platform/errors.ts';
import { sessionRows, type SessionReport } from './sessionRows.ts';
import type { UploadWriter } from './uploadWriter.ts';

export interface ReportSessionsRequest {
  /** Has passed the contract. */
  body: SessionReport;
  application: { id: string };
  /** Null where the upload was not signed; `timestamp` in Unix seconds. */
  signature: { nonce: string; timestamp: number; bodyHash: Buffer } | null;
  arrivedAt: Date;
}

/** Resolves after COMMIT. Throws `not_authenticated` (`nonce_reused`), `unavailable`, `validation_failed`. */
export async function reportSessions(
  { body, application, signature, arrivedAt }: ReportSessionsRequest,
  { uploads }: { uploads: UploadWriter },
): Promise<Record<string, never>> {
  const stateAt = signature?.timestamp ?? arrivedAt.getTime() / 1000;
  const rows = sessionRows(body, { applicationId: application.id, stateAt });
  const nonce = signature && { applicationId: application.id, nonce: signature.nonce, bodyHash: signature.bodyHash };
  const outcome = await uploads.submit({ ...rows, nonce });
  if (outcome === 'nonce_reused') {
    const serverTime = Math.floor(arrivedAt.getTime() / 1000);
    throw new AppError('not_authenticated', { reason: 'nonce_reused', serverTime });
  }
  return {};
}
