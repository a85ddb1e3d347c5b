// Turns each refusal of a feature into a GraphQL error, and masks every unknown error.
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { ErrorCode as GraphqlCode } from '../../generated/graphql.ts';
import { AppError, type ErrorCode, type ErrorDetails } from '../platform/errors.ts';
import { withoutValues } from './withoutValues.ts';

interface Answer<Code extends ErrorCode> {
  code: GraphqlCode;
  message: string;
  extensions?: (details: ErrorDetails[Code]) => Record<string, unknown>;
}

const failure = { code: 'INTERNAL_SERVER_ERROR' as const, message: 'Internal server error.' };

/** Some codes belong to the public API alone. If one arrives here, the service has failed. */
const answers: { [Code in ErrorCode]: Answer<Code> } = {
  not_found: { code: 'NOT_FOUND', message: 'Not found.' },
  validation_failed: {
    code: 'BAD_USER_INPUT',
    message: 'The input is not valid.',
    extensions: ({ fields }) => ({ fields }),
  },
  forbidden: { code: 'FORBIDDEN', message: 'Your role does not allow this.' },
  signup_closed: {
    code: 'FORBIDDEN',
    message:
      'Sign-up is closed on this service. Ask a member of your organization for an invitation, or ask an administrator of the service, who makes users with user:create.',
  },
  conflict: {
    code: 'CONFLICT',
    message: 'The stored state stands against this.',
    extensions: (details) => ({ ...details }),
  },
  invalid_credentials: { code: 'INVALID_CREDENTIALS', message: 'The e-mail address or the password is wrong.' },
  invalid_token: { code: 'INVALID_TOKEN', message: 'The token is not valid.' },
  no_organization: {
    code: 'NO_ORGANIZATION',
    message: 'The account belongs to no organization.',
    extensions: ({ challenge }) => ({ challenge }),
  },
  illegal_transition: {
    code: 'ILLEGAL_TRANSITION',
    message: 'The campaign cannot go to this state.',
    extensions: ({ allowed }) => ({ allowed }),
  },
  rate_limited: {
    code: 'RATE_LIMITED',
    message: 'Too many attempts.',
    extensions: ({ retryAfterSeconds }) => ({ retryAfterSeconds }),
  },
  analytics_unavailable: {
    code: 'ANALYTICS_UNAVAILABLE',
    message: 'Analytics are not available now.',
    extensions: (details) => ({ ...details }),
  },
  unavailable: {
    code: 'UNAVAILABLE',
    message: 'The service cannot take this request now. Try again later.',
    extensions: ({ retryAfterSeconds }) => ({ retryAfterSeconds: retryAfterSeconds ?? 1 }),
  },
  application_not_found: failure,
  not_authenticated: failure,
  too_large: failure,
  unsupported_media_type: failure,
};

/** Codes of errors before execution, from the GraphQL library or authentication.ts. The caller sees their messages. */
const requestCodes: readonly unknown[] = [
  'BAD_REQUEST',
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'OPERATION_RESOLUTION_FAILURE',
  'UNAUTHENTICATED',
] satisfies GraphqlCode[];

/** graphql-js finds a null or misplaced variable inside a literal only during execution, and gives no code. */
const lateInputError = /^Argument "(\w+)" (of (required|non-null) type|has invalid value)/;

/** The response to a refusal, as an entry of `errors`. */
export function failureOf<Code extends ErrorCode>(
  error: AppError<Code>,
): Required<Omit<GraphQLFormattedError, 'locations' | 'path'>> {
  const answer: Answer<Code> = answers[error.code];
  return { message: answer.message, extensions: { code: answer.code, ...answer.extensions?.(error.details) } };
}

/** The code of an error that an operation has thrown. */
export function graphqlCode(error: unknown): GraphqlCode {
  return error instanceof AppError ? answers[error.code as ErrorCode].code : failure.code;
}

/** The entry in `errors` for any error. It keeps `locations` and `path`, and never a cause or a stack. */
export function formatError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const cause = unwrapResolverError(error);
  if (cause instanceof AppError) return { ...formatted, ...failureOf(cause) };
  const code = formatted.extensions?.['code'];
  if (code === 'GRAPHQL_PARSE_FAILED' && !formatted.message.startsWith('Syntax Error: ')) {
    // The parser has failed itself: a thousand nested brackets exhaust its stack.
    return { ...formatted, message: 'Syntax Error: The document is nested too deeply.', extensions: { code } };
  }
  if (requestCodes.includes(code)) {
    const reason = cause instanceof GraphQLError ? cause.originalError?.message : undefined;
    const fields = formatted.extensions?.['fields'];
    return {
      ...formatted,
      message: withoutValues(formatted.message, reason),
      // argumentFields.ts or admission.ts has set the fields.
      extensions: { code, ...(fields !== undefined && { fields }) },
    };
  }
  const late = cause instanceof GraphQLError ? lateInputError.exec(cause.message) : null;
  if (late) {
    const fields = [{ path: late[1]!, message: 'is not a value of its type' }];
    return { ...formatted, ...failureOf(new AppError('validation_failed', { fields })) };
  }
  return { ...formatted, message: failure.message, extensions: { code: failure.code } };
}
