// Turns each refusal of a feature into a GraphQL error, and masks every unknown error.
import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { ErrorCode as GraphqlCode } from '../../generated/graphql.ts';
import { AppError, type ErrorCode, type ErrorDetails } from '../platform/errors.ts';

interface Response<Code extends ErrorCode> {
  code: GraphqlCode;
  message: string;
  extensions?: (details: ErrorDetails[Code]) => Record<string, unknown>;
}

const failure = { code: 'INTERNAL_SERVER_ERROR' as const, message: 'Internal server error.' };

/** Some codes belong to the public API alone. If one arrives here, the service has failed. */
const responses: { [Code in ErrorCode]: Response<Code> } = {
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

/** Codes of errors before execution, from the GraphQL library or authorization.ts. The caller sees their messages. */
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
  const response: Response<Code> = responses[error.code];
  return { message: response.message, extensions: { code: response.code, ...response.extensions?.(error.details) } };
}

/** The code of an error that an operation has thrown. */
export function graphqlCode(error: unknown): GraphqlCode {
  return error instanceof AppError ? responses[error.code as ErrorCode].code : failure.code;
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
      // documentValidation.ts or documentValidation.ts has set the fields.
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

// Removes quoted values from the GraphQL library's messages: a password in the wrong argument must not come back or reach a log.

const ofVariable: [RegExp, string] = [
  /^(Variable "\$\w+") got invalid value [\s\S]*?( at "\w+(?:\.\w+|\[\d+\])*")?$/,
  '$1 is not valid$2',
];
const ofLiteral: [RegExp, string] = [/^(Expected value of type "[^"]+"), found [\s\S]*$/, '$1'];

/** The forms of graphql-js's messages, each with the part that is kept. */
const quoting: [RegExp, string][] = [
  [
    /^([\s\S]*)\b((?:String|Int|Float|Boolean|ID|UUID|DateTime|JSON|Enum "\w+") cannot represent [^:]*): [\s\S]*$/,
    '$1$2.',
  ],
  [/^([\s\S]*)(Expected value of type "[^"]+"), found [\s\S]*$/, '$1$2.'],
  [/^([\s\S]*)Value "[\s\S]*" (does not exist in "\w+" enum\.)[\s\S]*$/, '$1The value $2'],
  [/^(Syntax Error: [\s\S]*\b(?:String|BlockString|Int|Float)) "[\s\S]*"\.$/, '$1.'],
];

/** `reason` is the message of the original error. The library appends it to its own message, after the value. */
export function withoutValues(message: string, reason?: string): string {
  const about = reason !== undefined && message.endsWith(`; ${reason}`) ? message.slice(0, -reason.length - 2) : null;
  if (about === null) return quoting.reduce((text, [form, kept]) => text.replace(form, kept), message);
  return `${about.replace(...ofVariable).replace(...ofLiteral)}: ${withoutValues(reason!)}`;
}
