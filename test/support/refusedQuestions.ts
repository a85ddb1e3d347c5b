// The refusals of one read of schema.graphql, "Analytics": wrong arguments at their paths, and an application that is not one's own.
import { randomUUID } from 'node:crypto';
import type { TestService } from './testService.ts';
import { newUser, organizationOf, type TestUser } from './testUsers.ts';

type Arguments = Record<string, unknown>;

export interface RefusedQuestions {
  /** The declaration of the variables, and the field with them: `($input: FunnelInput!)`, `funnel(input: $input) { asOf }`. */
  query: [string, string];
  /** Arguments that are right, for an application. */
  right(application: string): Arguments;
  /** A change of the right arguments, and the path of the refusal. */
  wrong: [change: (right: Arguments) => Arguments, path: string][];
}

/** Registers the tests of one read. They share the service of their file. */
export function testRefusedQuestions(
  shared: () => TestService,
  { query: [declared, field], right, wrong }: RefusedQuestions,
): void {
  const query = `query Q${declared} { ${field} }`;
  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await shared().withNewApplication();
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });

  for (const [index, [change, path]] of wrong.entries()) {
    test(`${index}: refused at ${path}`, async () => {
      const { codes, errors } = await viewer.ask(query, change(right(service.application.id)));
      const paths = errors.flatMap(({ extensions }) => (extensions['fields'] ?? []) as { path: string }[]);
      expect({ codes, paths: paths.map((each) => each.path) }).toEqual({ codes: ['BAD_USER_INPUT'], paths: [path] });
    });
  }

  test("an unknown application and another organization's are NOT_FOUND", async () => {
    const foreign = await service.newApplication();
    for (const id of [randomUUID(), foreign.id]) {
      expect((await viewer.ask(query, right(id))).codes).toEqual(['NOT_FOUND']);
    }
  });
}

/** Changes members of `input`. */
export const withInput =
  (change: Arguments) =>
  ({ input }: Arguments): Arguments => ({ input: { ...(input as Arguments), ...change } });

/** Changes arguments. */
export const withArguments =
  (change: Arguments) =>
  (right: Arguments): Arguments => ({ ...right, ...change });
