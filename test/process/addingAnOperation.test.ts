// Follows docs/contributing/operation.md and the edit in CONTRIBUTING.md, word for word in a copy of the repository, all at once.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createScratchRepository, runShell, type ScratchProject } from '../support/scratchProject.ts';
import { stepsOf, type Step } from '../support/walkthrough.ts';

/** For a hang alone. The compiler runs twice over the whole: on two cores with other work, that took eight minutes. */
const timeout = 1_200_000;

let scratch: ScratchProject;
beforeAll(() => {
  scratch = createScratchRepository();
});
afterAll(() => scratch.remove());

const page = 'docs/contributing/operation.md';
const walks = [stepsOf(page, 'To the public API'), stepsOf(page, 'To the admin API')];
const edit = stepsOf('CONTRIBUTING.md', 'One edit, seen through');
const commands = walks.flat().filter(({ language }) => language === 'sh');
const named = (part: string) => commands.filter(({ text }) => text.startsWith(part));

/** The block of a language, indented as where it is pasted. */
function block(language: string, steps = walks.flat(), indent = '  '): string {
  const found = steps.filter((step) => step.language === language);
  expect(found).toHaveLength(1);
  return found[0]!.text.trimEnd().replaceAll(/^(?=.)/gm, indent);
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
    scratch.replace('openapi.yaml', /^ {4}Platform:\n/m, `${block('yaml', edit, ' '.repeat(8))}\n$&`);
    await expectEnd(named('npm run generate')[0]!);

    // One run of the compiler tells of all three.
    const failing = [...commands, ...edit].filter(({ text, fails }) => text === 'npm run types' && fails !== null);
    expect(failing).toHaveLength(3);
    const output = await expectEnd(failing[0]!);
    for (const { fails } of failing) expect(output).toContain(fails);

    scratch.replace('src/sessions/upload.ts', /^ {4}country: .*\n/m, `$&${block('ts', edit, '    ')}\n`);

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
    // One after the other and with patience, because all else of this machine runs meanwhile.
    const patient = `npm run jest -- ${tests.join(' ')} --runInBand --testTimeout 240000`;
    await expectEnd({ language: 'sh', text: patient, fails: null });
  },
  timeout,
);
