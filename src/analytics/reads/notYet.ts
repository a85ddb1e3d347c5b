// Stands in for the reads that are not written yet; it goes when the last one is in.
import { AppError } from '../../platform/errors.ts';

/** Throws `analytics_unavailable`. Takes what the read will take. */
export function notYet(..._question: unknown[]): never {
  throw new AppError('analytics_unavailable', { reason: 'building', progress: 0 });
}
