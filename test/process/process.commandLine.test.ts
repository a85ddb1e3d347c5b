// The command line of every program in package.json: --help and --version do nothing else, and an unknown word is refused.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { variableNames } from '../../src/config.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { version } from '../../src/platform/version.ts';
import { clearAway, newDataDir, runBuilt } from '../support/serviceProcess.ts';

afterEach(clearAway);

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

test.each([...programs])('%s', async (program) => {
  const [help, short, asked, unknown] = await Promise.all(
    ['--help', '-h', '--version', '--nonsense'].map((word) => run(program, word)),
  );
  expect(help).toMatchObject({ code: 0, stderr: '', begun: false });
  expect(help!.stdout).toMatch(/^Usage: npm (start|run \S+)/);
  expect(help!.stdout).toContain('--help prints this text, and --version the version.');
  expect(short).toEqual(help);
  expect(asked).toEqual({ code: 0, stdout: `${version}\n`, stderr: '', begun: false });
  expect(unknown).toMatchObject({ code: 2, stdout: '', begun: false });
  expect(unknown!.stderr).toMatch(/^Unknown option '--nonsense'\. Usage: npm (start|run )[^\n]*\n$/);
});

/** Prints, at the end of a process, the names that it has looked up in its environment. */
const spy = `
  const names = new Set();
  process.env = new Proxy(process.env, { get: (env, name) => (names.add(name), env[name]) });
  process.on('exit', () => process.stdout.write('\\nread:' + [...names].filter((name) => typeof name === 'string')));
`;

/** Without these words a program ends before it reads a setting. */
const words: Record<string, string[]> = {
  'src/programs/userCreate.js': ['--email', 'a@example.com', '--organization', 'Acme'],
  'src/programs/userReset.js': ['--email', 'a@example.com'],
};

/** From a run that ends at its settings. */
async function settingsRead(program: string): Promise<string[]> {
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(spy)}`;
  const running = runBuilt(program, { NODE_ENV: 'refused', NODE_OPTIONS }, words[program]);
  expect((await running.ended).code).toBe(1);
  expect(running.stderr()).toContain('The environment is not usable:\n  NODE_ENV: ');
  const read = running.stdout().split('\nread:').at(-1)!.split(',');
  return variableNames.filter((name) => read.includes(name));
}

/** The other tools read no setting of the service. */
const readers = [...programs].filter((name) => name.startsWith('src/') || name.includes('/demo/'));

test.each(readers)(
  '%s: --help names each setting that it reads, or only the file of all settings where it reads all',
  async (program) => {
    const [read, { stdout: help }] = await Promise.all([settingsRead(program), run(program, '--help')]);
    expect(read).toContain('NODE_ENV');
    expect(help).toContain('.env.example');
    const unnamed = read.filter((name) => !new RegExp(`\\b${name}\\b`).test(help));
    if (read.length < variableNames.length) expect(unnamed).toEqual([]);
  },
);
