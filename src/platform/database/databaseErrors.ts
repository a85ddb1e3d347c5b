// The classification of what PostgreSQL, its driver and Prisma throw.

export type DatabaseFailure =
  /** The database is away, full or overloaded: the same work may succeed later. */
  | 'unavailable'
  /** Two transactions conflicted: the same transaction may succeed at once. */
  | 'conflict'
  /** The data cannot be stored: the validation has missed a case. */
  | 'data'
  | 'unknown';

const unavailableStates = new Set([
  // PostgreSQL refuses this role or this database. No request is at fault, and an operator is probably at work.
  '28000',
  '28P01',
  '3D000',
  '57014',
  '55P03',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '25P03',
  '25006',
  '53000',
  '53100',
  '53200',
  '53300',
  '58030',
]);
const unavailableSystemErrors = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'EMFILE',
  'ENFILE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
// A lost connection and an exhausted pool are plain errors without a code (measured with pg 8 and Prisma 7). The coordinator
// of a Citus cluster reports these as internal errors: a missing worker, a timeout of a worker in COPY, and a broken connection
// to a worker, in the words of libpq (measured with Citus 13.2).
const unavailableMessages =
  /not currently accepting connections|failure on connection marked as essential|could not connect to any active placements|terminating connection|connection terminated|connection error|timeout exceeded when trying to connect|query read timeout|due to (?:lock|statement) timeout|can't reach database server|server (?:has )?closed the connection|could not (?:receive data from|send data to) server|no connection to the server|connection to the remote node|not queryable|cannot use a pool after/i;

export function classifyDatabaseError(error: unknown): DatabaseFailure {
  for (let cause = describe(error); cause; cause = describe(cause.cause)) {
    const { code, message } = cause;
    if (code === '40001' || code === '40P01') return 'conflict';
    if (unavailableStates.has(code) || code.startsWith('08') || unavailableSystemErrors.has(code)) return 'unavailable';
    if (isUsedUp(cause)) return 'unavailable';
    if (code.startsWith('22') || code.startsWith('54')) return 'data';
    if (unavailableMessages.test(message)) return 'unavailable';
  }
  return 'unknown';
}

/** A statement waited longer for a lock than it may, on this server or on a node. The coordinator of Citus drops the code in COPY. */
export function isLockTimeout(error: unknown): boolean {
  for (let cause = describe(error); cause; cause = describe(cause.cause)) {
    if (cause.code === '55P03' || cause.message.includes('due to lock timeout')) return true;
  }
  return false;
}

/** A statement of SQL, or of Prisma (P2002), would have stored a second row of a unique key. PostgreSQL ends the transaction. */
export function isUniqueViolation(error: unknown): boolean {
  for (let cause = describe(error); cause; cause = describe(cause.cause)) {
    if (cause.code === '23505') return true;
  }
  return false;
}

/**
 * The numbers of a sequence or of transactions are used up: PostgreSQL refuses every write, and no upload is at fault. A
 * value that is too large for its index has the same code 54000, but names its table or the routine that makes index rows.
 */
function isUsedUp({ code, message, table, routine }: Cause): boolean {
  if (code !== '54000') return code === '2200H';
  // Prisma leaves out table and routine.
  return table === undefined && !String(routine).startsWith('index_form_tuple') && !message.startsWith('index row');
}

interface Cause {
  code: string;
  message: string;
  table: unknown;
  routine: unknown;
  cause: unknown;
}

/** Prisma keeps its adapter's error in `meta`, and the adapter keeps PostgreSQL's code and message in a plain object. */
function describe(error: unknown): Cause | null {
  if (typeof error !== 'object' || error === null) return null;
  const { code, table, routine, cause, meta, originalCode, originalMessage } = error as Record<string, unknown>;
  if (typeof originalCode === 'string') {
    return { code: originalCode, message: String(originalMessage), table, routine, cause: undefined };
  }
  if (!(error instanceof Error)) return null;
  const next = cause ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError;
  return { code: typeof code === 'string' ? code : '', message: error.message, table, routine, cause: next };
}
