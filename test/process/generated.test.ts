// A contract cannot change without its generated types, and cannot declare an operation without a handler: the tools notice both.
import { projectRoot } from '../../src/platform/projectRoot.ts';
import { createScratchProject, runBin, type ScratchProject } from '../support/scratchProject.ts';

const openapi = ['openapi.yaml', '-o', 'generated/openapi.ts', '--check'];
const codegen = ['--config', 'codegen.ts', '--check'];

/** For a hang alone: on a busy machine the compiler took more than a minute. */
const timeout = 600_000;

let scratch: ScratchProject;
beforeAll(() => {
  scratch = createScratchProject();
});
afterAll(() => scratch.remove());

test(
  'the committed types are those of both contracts (else: npm run generate)',
  async () => {
    expect(await runBin(projectRoot, 'openapi-typescript', openapi)).toMatchObject({ exitCode: 0 });
    expect(await runBin(projectRoot, 'graphql-codegen', codegen)).toMatchObject({ exitCode: 0 });
  },
  timeout,
);

test(
  'a field added to a contract makes the committed types stale',
  async () => {
    scratch.replace('openapi.yaml', /^ {8}installDatetime:$/m, '        later:\n          type: string\n$&');
    expect(await scratch.run('openapi-typescript', openapi)).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('not up-to-date') as string,
    });
    scratch.replace('schema.graphql', /^type ServiceUser \{$/m, '$&\n  "Added later."\n  later: String\n');
    expect(await scratch.run('graphql-codegen', codegen)).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('generated/graphql.ts') as string,
    });
  },
  timeout,
);

test(
  'an operation and a root field without an implementation do not compile',
  async () => {
    scratch.replace('src/http/operations.ts', /^ {2}reportSessions\b.*\n/m, '');
    scratch.replace('src/graphql/resolvers.ts', /^ {2}login\b.*\n/m, '');
    const { exitCode, output } = await scratch.run('tsc', [
      '-p',
      'tsconfig.build.json',
      '--noEmit',
      '--incremental',
      'false',
    ]);
    expect(exitCode).not.toBe(0);
    const errors = output.split('\n').filter((line) => /error TS\d+/.test(line));
    expect(errors).toContainEqual(expect.stringMatching(/^src\/http\/operations\.ts.*does not satisfy/));
    expect(errors).toContainEqual(expect.stringMatching(/^src\/graphql\/resolvers\.ts.*does not satisfy/));
    expect(output).toContain("Property 'reportSessions' is missing");
    expect(output).toContain("Property 'login' is missing");
    // The compiler complains only about the two lists and their uses: the copy itself compiles.
    const elsewhere = errors.filter((line) => !/^src\/(http|graphql)\//.test(line));
    expect(elsewhere).toEqual([]);
  },
  timeout,
);
