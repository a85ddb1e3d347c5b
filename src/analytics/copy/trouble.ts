// Tells apart what stopped the copy: PostgreSQL, a damaged file, or a disk that takes no more.
import type { CopyTrouble } from '../../platform/observability/analyticsMetrics.ts';
import { hasCode } from '../../platform/errors.ts';
import { DuckError, isPassing } from './duck.ts';

/** DuckDB's words for bytes that are not what it wrote, and for a database that it has given up. */
const damage =
  /corrupt|checksum|could not read|not a valid DuckDB|serialization error|replaying WAL|invalidated|internal error|fatal error/i;

export function isDamage(error: unknown): boolean {
  return error instanceof DuckError && !isPassing(error) && damage.test(error.message);
}

export function troubleOf(error: unknown): CopyTrouble {
  if (error instanceof DuckError) return isPassing(error) ? 'disk' : 'file';
  return ['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EMFILE'].some((code) => hasCode(error, code)) ? 'disk' : 'database';
}
