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
