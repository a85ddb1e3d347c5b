// What the edges hand to every operation: one record, passed as an argument, built by main.ts or by a test.
import type { CampaignDirectory } from './campaigns/campaignDirectory.ts';
import type { Log } from './platform/log.ts';
import type { Metrics } from './platform/metrics.ts';
import type { UploadWriter } from './sessions/uploadWriter.ts';
import type { ApplicationDirectory } from './workspace/applicationDirectory.ts';

export interface Deps {
  log: Log;
  metrics: Metrics;
  applications: ApplicationDirectory;
  campaigns: CampaignDirectory;
  uploads: UploadWriter;
  /** Whether a nonce is known with another body: asked only where an upload is refused before it reaches the writer. */
  nonceTaken(nonce: { applicationId: string; nonce: string; bodyHash: Buffer }): Promise<boolean>;
  signatureRequired: boolean;
  /** From the moment a request's body is read. */
  answerWithinMillis: number;
  now(): Date;
}
