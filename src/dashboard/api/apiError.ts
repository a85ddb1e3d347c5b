// One error for everything that can go wrong with a request: by the service's code and fields, or without a response.
import type { CombinedError } from 'urql';
import type { ErrorCode } from '../../../generated/screens/enums.ts';

export interface FieldProblem {
  /** As the service names it: `input.email`. */
  path: string;
  message: string;
}

/** `NO_RESPONSE`: the request did not reach the service, or its response did not reach the page. */
export type Code = ErrorCode | 'NO_RESPONSE';

interface Details {
  fields?: FieldProblem[];
  extensions?: Record<string, unknown>;
  requestId?: string | null;
}

export class ApiError extends Error {
  readonly code: Code;
  readonly fields: FieldProblem[];
  readonly extensions: Record<string, unknown>;
  /** Names the request in the service's log. */
  readonly requestId: string | null;

  constructor(message: string, code: Code, { fields = [], extensions = {}, requestId = null }: Details = {}) {
    super(message);
    this.code = code;
    this.fields = fields;
    this.extensions = extensions;
    this.requestId = requestId;
  }
}

interface GivenError {
  message: string;
  extensions?: Record<string, unknown>;
}

export function errorFrom({ message, extensions = {} }: GivenError, requestId: string | null = null): ApiError {
  const code = (extensions['code'] as Code | undefined) ?? 'INTERNAL_SERVER_ERROR';
  const fields = (extensions['fields'] as FieldProblem[] | undefined) ?? [];
  return new ApiError(message, code, { fields, extensions, requestId });
}

export function apiErrorOf(error: CombinedError | undefined): ApiError | null {
  if (!error) return null;
  const response = error.response as Response | undefined;
  const [first] = error.graphQLErrors;
  const requestId = response?.headers?.get('X-Request-Id') ?? null;
  if (first) return errorFrom(first, requestId);
  return new ApiError('The service gave no response.', 'NO_RESPONSE', { requestId });
}

type Message = string | ((error: ApiError) => string);

/** By `extensions.reason` of a `CONFLICT`. */
const conflicts: Record<string, string> = {
  full: 'Too many deliveries of this webhook wait. Try again when some have ended.',
  last_owner: 'The organization needs at least one active owner. Make another member an owner first.',
  already_member: 'This person already belongs to the organization.',
  email_unconfirmed: 'Confirm your own e-mail address first. Your profile can send you the mail again.',
  email_in_use: 'Another account has this e-mail address.',
};

const messages: Partial<Record<Code, Message>> = {
  NO_RESPONSE: 'The service gave no response. Check your connection.',
  INTERNAL_SERVER_ERROR: 'The service failed. Try again; if it stays, tell your operator the request below.',
  FORBIDDEN: 'Your role may not do this.',
  NOT_FOUND: 'This does not exist any more.',
  CONFLICT: ({ extensions, message }) => conflicts[String(extensions['reason'])] ?? message,
  NO_ORGANIZATION: 'Your account belongs to no organization any more.',
  RATE_LIMITED: ({ extensions }) => {
    const minutes = Math.ceil(Number(extensions['retryAfterSeconds']) / 60);
    return `Too many attempts. Try again in ${minutes} min.`;
  },
  INVALID_CREDENTIALS: 'The e-mail address or the password is wrong.',
  INVALID_TOKEN: 'This link has expired or was used before.',
  BAD_USER_INPUT: 'Some values cannot be used.',
  PAYLOAD_TOO_LARGE: 'This is too large to send.',
  ANALYTICS_UNAVAILABLE: ({ extensions }) => {
    if (extensions['reason'] === 'off') return 'Reports are turned off on this service (ANALYTICS=off).';
    if (extensions['reason'] === 'busy') return 'Many reports are being read right now. Try again in some seconds.';
    if (extensions['reason'] === 'stopped')
      return 'Reports cannot be read: the service cannot keep its copy of the events. Whoever runs it finds the reason in its log.';
    if (extensions['reason'] !== 'building') return 'Reports are not available right now.';
    const done = Math.floor(Number(extensions['progress'] ?? 0) * 100);
    return `The copy of the events for reports is being built: ${done} % are done.`;
  },
};

/** What a person reads for each code of an error, where the screen has no better word. */
export function messageOf(error: ApiError): string {
  const message = messages[error.code];
  if (message === undefined) return error.message;
  return typeof message === 'string' ? message : message(error);
}
