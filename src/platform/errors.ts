// The errors that a feature may throw, as one closed union without a status. Each edge has a table from these codes to its responses.

/** One offending field of a request. `path` has the form `sessions[0].events[1].name`; `""` means the whole body. */
export interface FieldError {
  path: string;
  message: string;
}

export type SignatureRefusal =
  'signature_missing' | 'signature_malformed' | 'signature_mismatch' | 'timestamp_out_of_window' | 'nonce_reused';

/**
 * The reason for which the stored state conflicts with a request, as one word for programs (schema.graphql,
 * "Conflicts").
 */
export type ConflictReason =
  'version' | 'email_in_use' | 'last_owner' | 'already_member' | 'not_editable' | 'disabled' | 'full';

export type LimitUnit = 'bytes' | 'sessions' | 'events' | 'transactions';

/** The details of each code, from which an edge makes its response body. */
export interface ErrorDetails {
  not_found: undefined;
  application_not_found: undefined;
  not_authenticated: { reason: SignatureRefusal; serverTime: number };
  too_large: { unit: LimitUnit; limit: number };
  unsupported_media_type: { message: string };
  validation_failed: { fields: FieldError[] };
  /** The caller is known, and the role does not allow the operation. */
  forbidden: undefined;
  /** The setting SIGNUP does not allow it. */
  signup_closed: undefined;
  /** The request is valid and conflicts with the stored state. Only the reason `version` has the current version. */
  conflict: { reason: 'version'; currentVersion: number } | { reason: Exclude<ConflictReason, 'version'> };
  invalid_credentials: undefined;
  /** The refresh, reset or invitation token or the challenge is unknown, expired, used or revoked. */
  invalid_token: undefined;
  /** The password is right, and the account has no active membership. */
  no_organization: { challenge: string };
  illegal_transition: { allowed: readonly string[] };
  rate_limited: { retryAfterSeconds: number };
  /**
   * A dependency of the service is away or full. The same request may succeed after the pause, which the edge chooses
   * where it is null.
   */
  unavailable: { retryAfterSeconds: number | null };
  /** The reads of src/analytics are switched off, their copy is not there yet, or too many run. `progress` is 0 to 1. */
  analytics_unavailable: { reason: 'off' | 'busy' } | { reason: 'building'; progress: number };
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

/** The request cannot be served now. The edge chooses when the client may retry. */
export function unavailable(cause?: unknown): AppError {
  return new AppError('unavailable', { retryAfterSeconds: null }, { cause });
}

/** Whether an error of Node or of PostgreSQL has this code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
