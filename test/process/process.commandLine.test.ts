// The command line of every program in package.json: --help and --version do nothing else, and an unknown word is refused.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { version } from '../../src/platform/version.ts';
import { clearAway, newDataDir, runBuilt } from '../support/serviceProcess.ts';

const timeout = 150_000;
afterEach(clearAway, timeout);

const { scripts } = JSON.parse(readFileSync(projectFile('package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const programs = new Set(Object.values(scripts).flatMap((script) => /dist\/(\S+\.js)/.exec(script)?.[1] ?? []));

/** Outside production, so that a program that went on would start the embedded PostgreSQL, or migrate one. */
async function run(program: string, word: string) {
  const dataDir = newDataDir();
  const running = runBuilt(program, { DATA_DIR: dataDir, PORT: '0', OPS_PORT: '0' }, [word]);
  const { code } = await running.ended;
  const begun = existsSync(path.join(dataDir, 'postgres'));
  return { code, stdout: running.stdout(), stderr: running.stderr(), begun };
}

test('the programs are found', () => {
  for (const name of ['main', 'programs/migrate', 'programs/rotateKeys', 'programs/userCreate', 'programs/dev'])
    expect(programs).toContain(`src/${name}.js`);
  for (const name of ['demo', 'mock', 'stub', 'samples']) expect(programs).toContain(`test/tools/${name}/main.js`);
});

test.each([...programs])(
  '%s',
  async (program) => {
    const [help, short, asked, unknown] = await Promise.all(
      ['--help', '-h', '--version', '--nonsense'].map((word) => run(program, word)),
    );
    expect(help).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^Usage: npm (start|run \S+)/) as string,
      stderr: '',
      begun: false,
    });
    expect(help!.stdout).toContain('--help prints this text, and --version the version.');
    expect(short).toEqual(help);
    expect(asked).toEqual({ code: 0, stdout: `${version}\n`, stderr: '', begun: false });
    expect(unknown).toMatchObject({ code: 2, stdout: '', begun: false });
    expect(unknown!.stderr).toMatch(/^Unknown option '--nonsense'\. Usage: npm (start|run )[^\n]*\n$/);
  },
  timeout,
);
