// The refusals a feature may throw, as one closed union without any protocol's status: each edge holds a table from these codes to its own answers.

/** One offending field of a request; `path` is written `sessions[0].events[1].name`, and `""` means the whole body. */
export interface FieldError {
  path: string;
  message: string;
}

export type SignatureRefusal =
  'signature_missing' | 'signature_malformed' | 'signature_mismatch' | 'timestamp_out_of_window' | 'nonce_reused';

export type LimitUnit = 'bytes' | 'sessions' | 'events' | 'transactions';

/** What each code carries, so that an edge can fill its body without parsing a message. */
export interface ErrorDetails {
  not_found: undefined;
  application_not_found: undefined;
  not_authenticated: { reason: SignatureRefusal; serverTime: number };
  too_large: { unit: LimitUnit; limit: number };
  unsupported_media_type: { message: string };
  validation_failed: { fields: FieldError[] };
  /** Known, and not allowed by the role. */
  forbidden: undefined;
  /** The request is right and the stored state stands against it; the version where one is meant. */
  conflict: { currentVersion?: number };
  invalid_credentials: undefined;
  /** A refresh, reset or invitation token that is unknown, expired, used or revoked. */
  invalid_token: undefined;
  illegal_transition: { allowed: readonly string[] };
  rate_limited: { retryAfterSeconds: number };
  /** A dependency of ours is away or full: the same request may succeed after the pause. */
  unavailable: { retryAfterSeconds: number };
}

export type ErrorCode = keyof ErrorDetails;

export class AppError<Code extends ErrorCode = ErrorCode> extends Error {
  readonly code: Code;
  readonly details: ErrorDetails[Code];

  constructor(code: Code, details: ErrorDetails[Code], options?: ErrorOptions) {
    super(code, options);
    this.name = 'AppError';
    this.code = code;
    this.details = details;
  }
}

/** Narrows to one code, so that its details are typed. */
export function isAppError<Code extends ErrorCode>(error: unknown, code: Code): error is AppError<Code> {
  return error instanceof AppError && error.code === code;
}

/** The refusal of what cannot be done now and may be sent again in a second. */
export function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', { retryAfterSeconds: 1 }, { cause });
}

/** Whether an error of Node, or of PostgreSQL, has this code of theirs. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
