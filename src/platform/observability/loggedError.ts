// The part of an error that is logged: enough to find the fault, and no data of users.

export interface LoggedError {
  type: string;
  message: string;
  /** A SQLSTATE, a system error's name, or a refusal's code. */
  code?: string;
  /** The place where it was thrown, without the message at the beginning of Node's `stack`. */
  stack?: string;
  cause?: LoggedError;
}

const deepest = 5;
const frames = /^\s+at .*$/gm;

/**
 * Other members are left out: `detail` of a database error holds the refused row, `where` holds the parameters, and an error
 * of the GraphQL library holds the whole document.
 */
export function loggedError(error: unknown, depth = 0): LoggedError {
  if (typeof error !== 'object' || error === null || !('message' in error)) {
    return { type: typeof error, message: 'something was thrown that is no error' };
  }
  const { name, message, code, stack, cause } = error as Record<string, unknown>;
  const where = typeof stack === 'string' ? stack.match(frames)?.join('\n') : undefined;
  return {
    type: typeof name === 'string' ? name : 'Error',
    message: withoutQuotes(String(message)),
    ...(typeof code === 'string' && { code }),
    ...(where !== undefined && { stack: where }),
    ...(cause !== undefined && depth < deepest && { cause: loggedError(cause, depth + 1) }),
  };
}

/**
 * PostgreSQL quotes an unreadable input and the row that breaks a constraint. Prisma prints a call's arguments before the
 * paragraph with the problem. Both are cut out. Names of tables, columns and constraints stay.
 */
function withoutQuotes(message: string): string {
  const paragraph = message.startsWith('\nInvalid `') ? message.slice(message.lastIndexOf('\n\n')).trim() : message;
  return paragraph
    .replace(/\b(Failing row contains|Key \(.*?\)=)[\s\S]*$/, '$1 …')
    .replace(/(: ?)?"([^"]*)"/g, (quoted, colon: string | undefined, text: string) => {
      const isName = colon === undefined && /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(text);
      return isName ? quoted : `${colon ?? ''}"…"`;
    });
}
