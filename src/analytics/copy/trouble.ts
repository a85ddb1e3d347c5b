// Tells apart what stopped the copy: PostgreSQL, a damaged file, memory, or a disk that takes no more.
import type { CopyTrouble } from '../../platform/observability/analyticsMetrics.ts';
import { hasCode } from '../../platform/errors.ts';
import { DuckError, isOutOfMemory, isPassing } from './duck.ts';

/** DuckDB's words for bytes that are not what it wrote, and for a database that it has given up. */
const damage =
  /corrupt|checksum|could not read|not a valid DuckDB|serialization error|replaying WAL|invalidated|internal error|fatal error/i;

export function isDamage(error: unknown): error is DuckError {
  return error instanceof DuckError && !isPassing(error) && damage.test(error.message);
}

/** Bytes that DuckDB did not write. What else `isDamage` holds for may be of one question. */
export function isCertainDamage(error: unknown): boolean {
  return isDamage(error) && /corrupt|checksum|not a valid DuckDB/i.test(error.message);
}

export function troubleOf(error: unknown): CopyTrouble {
  if (isOutOfMemory(error)) return 'memory';
  if (error instanceof DuckError) return isPassing(error) ? 'disk' : 'file';
  return ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EMFILE'].some((code) => hasCode(error, code)) ? 'disk' : 'database';
}

const againMillis = 600_000;

/** An error inside DuckDB can be of one question. The file is opened again, and is damaged where the error comes again. */
export class ReportedDamage {
  #reported: Error | null = null;
  #until = 0;

  /** A question has failed. */
  report(error: unknown): void {
    if (isDamage(error)) this.#reported = error;
  }

  throwReported(): void {
    if (this.#reported === null) return;
    const [reported, isAgain] = [this.#reported, performance.now() < this.#until];
    [this.#reported, this.#until] = [null, performance.now() + againMillis];
    throw isAgain || isCertainDamage(reported) ? reported : new DuckError('a question met an error inside DuckDB');
  }
}
