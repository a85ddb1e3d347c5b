// What the log keeps of an error: enough to find the fault, and nothing of the data that was being worked on.

export interface LoggedError {
  type: string;
  message: string;
  /** A SQLSTATE, a system error's name, or a refusal's code. */
  code?: string;
  /** Where it was thrown; without the message, which begins `stack` in Node. */
  stack?: string;
  cause?: LoggedError;
}

const deepest = 5;
const frames = /^\s+at .*$/gm;

/**
 * Members that are not listed here are left out: a database error's `detail` is the row that was refused, its `where`
 * the parameters, and an error of the GraphQL library has the whole document.
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
 * The database quotes an input that it cannot read, and the row that breaks a constraint; Prisma prints a call's
 * arguments before the paragraph that says what is wrong. Names of tables, columns and constraints stay.
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
