// Follows CONTRIBUTING.md on adding an operation, word for word in a copy of the repository, for both contracts at once.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createScratchRepository, runShell, type ScratchProject } from '../support/scratchProject.ts';
import { stepsOf, type Step } from '../support/walkthrough.ts';

/** The compiler checks the whole project twice, which takes long on a busy machine. */
const timeout = 600_000;

let scratch: ScratchProject;
beforeAll(() => {
  scratch = createScratchRepository();
});
afterAll(() => scratch.remove());

const walks = [stepsOf('To the public API'), stepsOf('To the admin API')];
const commands = walks.flat().filter(({ language }) => language === 'sh');
const named = (part: string) => commands.filter(({ text }) => text.startsWith(part));

/** The block in a language, indented for the place where it is pasted. */
function block(language: string): string {
  const found = walks.flat().filter((step) => step.language === language);
  expect(found).toHaveLength(1);
  return found[0]!.text.trimEnd().replaceAll(/^(?=.)/gm, '  ');
}

async function expectEnd({ text, fails }: Step): Promise<string> {
  const { exitCode, output } = await runShell(scratch.folder, text);
  if (fails === null) expect(`${exitCode} ${output}`).toMatch(/^0 /);
  else expect(exitCode).not.toBe(0);
  expect(output).toContain(fails ?? '');
  return output;
}

test('the commands are the five of each walk, in their order', () => {
  const order = walks.map((walk) =>
    walk
      .filter(({ language }) => language === 'sh')
      .map(({ text, fails }) => `${text.split(' ')[2]}${fails ? ' fails' : ''}`),
  );
  const expected = ['generate', 'types fails', 'stub', 'types', 'jest'];
  expect(order).toEqual([expected, expected]);
});

test(
  'contract, types, compile error, stub, green',
  async () => {
    scratch.replace('openapi.yaml', /^components:$/m, `${block('yaml')}\n$&`);
    scratch.replace('schema.graphql', /^type Query \{\n/m, `$&${block('graphql')}\n\n`);
    await expectEnd(named('npm run generate')[0]!);

    // One run of the compiler reports both errors.
    const failing = named('npm run types').filter(({ fails }) => fails !== null);
    const output = await expectEnd(failing[0]!);
    for (const { fails } of failing) expect(output).toContain(fails);

    for (const stub of named('npm run stub')) await expectEnd(stub);
    const again = await runShell(scratch.folder, named('npm run stub')[0]!.text);
    expect(again).toMatchObject({ exitCode: 1, output: expect.stringContaining('is there already') as string });
    const unknown = await runShell(scratch.folder, 'npm run stub nothingLikeIt');
    expect(unknown).toMatchObject({ exitCode: 1, output: expect.stringContaining('write it there first') as string });

    scratch.replace('test/integration/access.test.ts', /^const queries: .*\n/m, `$&${block('ts')}\n`);
    await expectEnd(named('npm run types').find(({ fails }) => fails === null)!);
    const handler = readFileSync(path.join(scratch.folder, 'src/campaigns/getServerTime.ts'), 'utf8');
    expect(handler).toContain('serverTime: 1789000000');
    const tests = named('npm run jest').map(({ text }) => text.split(' ').at(-1)!);
    // Runs the tests one after the other with a long timeout, because other tests use this machine too.
    const patient = `npm run jest -- ${tests.join(' ')} --runInBand --testTimeout 240000`;
    await expectEnd({ language: 'sh', text: patient, fails: null });
  },
  timeout,
);
