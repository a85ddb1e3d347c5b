// Copies the project to a temporary folder, for tests that break something and check that a tool notices it.
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';

export interface Outcome {
  exitCode: number;
  output: string;
}

export interface ScratchProject {
  folder: string;
  /** Throws when nothing matches, so that no test passes because its change was empty. */
  replace: (file: string, pattern: RegExp, replacement: string) => void;
  run: (bin: string, words: string[]) => Promise<Outcome>;
  remove: () => void;
}

const copied = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'openapi.yaml', 'schema.graphql', 'codegen.ts'];
const tools = ['test/contractTools', 'test/dashboard', 'test/support/ownPackages.js'];

export function createScratchProject(): ScratchProject {
  const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-scratch-'));
  for (const name of [...copied, ...tools, 'generated', 'src']) {
    const filter = (file: string) => path.basename(file) !== 'node_modules';
    cpSync(projectFile(name), path.join(folder, name), { recursive: true, filter });
  }
  return scratchIn(folder);
}

/**
 * Copies every file that git does not ignore, and links the packages. Most tests are left out: they would only cost the
 * compiler time.
 */
export function createScratchRepository(): ScratchProject {
  const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-scratch-'));
  const kept = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: projectRoot });
  const needed = [
    'test/contract/adminExamples.test.ts',
    'test/integration/access.test.ts',
    'test/integration/auditLog.coverage.test.ts',
    'test/faults/support/faultTable.ts',
  ];
  for (const name of kept.toString().trim().split('\n')) {
    const costly =
      /^test\/(bench|browser|cluster|contract|faults|integration|nightly|process|unit)\//.test(name) &&
      !needed.includes(name);
    if (!costly && existsSync(projectFile(name))) cpSync(projectFile(name), path.join(folder, name));
  }
  return scratchIn(folder);
}

function scratchIn(folder: string): ScratchProject {
  for (const part of ['.', 'test/contractTools']) {
    symlinkSync(projectFile(part, 'node_modules'), path.join(folder, part, 'node_modules'), 'dir');
  }
  return {
    folder,
    replace(file, pattern, replacement) {
      const before = readFileSync(path.join(folder, file), 'utf8');
      const after = before.replace(pattern, replacement);
      if (after === before) throw new Error(`${String(pattern)} is nowhere in ${file}`);
      writeFileSync(path.join(folder, file), after);
    },
    run: (bin, words) => runBin(folder, bin, words),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** For a hang alone. */
const timeout = 600_000;

/** Runs a line in a shell in a folder. */
export function runShell(folder: string, line: string): Promise<Outcome> {
  return run('sh', ['-c', line], folder);
}

/** Runs a program of node_modules/.bin in a folder. */
function runBin(folder: string, bin: string, words: string[]): Promise<Outcome> {
  const program = path.join(folder, 'node_modules', '.bin', bin);
  return run(program, words, folder);
}

function run(program: string, words: string[], cwd: string): Promise<Outcome> {
  const options = { cwd, timeout, maxBuffer: 64 * 1024 * 1024, env: cleanEnvironment() };
  return new Promise((resolve) => {
    execFile(program, words, options, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ exitCode, output: `${stdout}${stderr}` });
    });
  });
}

/** Removes jest's own variables, which would change a command and count its tests, and turns telemetry off. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const silent = { DO_NOT_TRACK: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const ofJest = { NODE_OPTIONS: undefined, NODE_ENV: undefined, TEST_COUNTS: undefined, SEEN_RESPONSES: undefined };
  return { ...process.env, ...ofJest, ...silent };
}
