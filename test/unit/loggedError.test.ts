// The logged form of an error: its place and kind, and none of the values.
import { loggedError } from '../../src/platform/observability/loggedError.ts';

const withMessage = (message: string) => loggedError(new Error(message)).message;

test('the kind, the message, the code, the place and the causes', () => {
  const cause = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  const logged = loggedError(new TypeError('cannot', { cause }));
  expect(logged).toEqual({
    type: 'TypeError',
    message: 'cannot',
    stack: expect.stringMatching(/^\s+at .*loggedError\.test\.ts/) as string,
    cause: {
      type: 'Error',
      message: 'connect ECONNREFUSED',
      code: 'ECONNREFUSED',
      stack: expect.any(String) as string,
    },
  });
});

test('no other member, whatever it is called', () => {
  const error = Object.assign(new Error('null value in column "name" of relation "users"'), {
    code: '23502',
    detail: 'Failing row contains (hunter2).',
    where: "unnamed portal parameter $1 = 'hunter2'",
    parameters: ['hunter2'],
    input: { password: 'hunter2' },
  });
  const logged = loggedError(error);
  expect(JSON.stringify(logged)).not.toContain('hunter2');
  expect(logged).toMatchObject({ code: '23502', message: 'null value in column "name" of relation "users"' });
});

test.each([
  ['invalid input syntax for type uuid: "hunter"', 'invalid input syntax for type uuid: "…"'],
  ['value "99999999999" is out of range for type integer', 'value "…" is out of range for type integer'],
  [
    'new row violates "a_check"\nFailing row contains (1, hunter).',
    'new row violates "a_check"\nFailing row contains …',
  ],
  ['Key (email)=(a@b) already exists.', 'Key (email)= …'],
  [
    '\nInvalid `prisma.user.create()` invocation:\n\n{ data: { name: "hunter" } }\n\nArgument `email` is missing.',
    'Argument `email` is missing.',
  ],
])('a message without its values: %j', (message, kept) => {
  expect(withMessage(message)).toBe(kept);
});

test('the stack has no message of its own', () => {
  const error = new Error('first\nsecond "HUNTER"');
  expect(loggedError(error).stack).not.toMatch(/second|HUNTER/);
});

test('what is no error says nothing of itself', () => {
  for (const thrown of ['hunter2', { password: 'hunter2' }, null, undefined]) {
    expect(JSON.stringify(loggedError(thrown))).not.toContain('hunter2');
  }
});

test('a circle of causes ends', () => {
  const error = new Error('one');
  error.cause = error;
  expect(JSON.stringify(loggedError(error)).length).toBeLessThan(20_000);
});
