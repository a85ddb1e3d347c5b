// Starts and ends the shared parts of a jest run: programs, PostgreSQL, and records of the responses seen.
import { randomInt } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { printFaultTable } from '../faults/support/faultTable.ts';
import { buildPrograms } from './builtPrograms.ts';
import { installPackages } from './ownPackages.js';
import { assertEveryResponseSeen } from './seenResponses.ts';
import { startTestPostgres } from './testPostgres.ts';

interface JestConfig {
  testNamePattern?: string;
}

interface TestRun {
  stopPostgres?: () => Promise<void>;
  /** countReporter.js sets it before the projects end. */
  testFilesRun?: string[];
  /** stuckReporter.js reads it. */
  isEnding?: boolean;
}

/** Several projects share one run, and jest loads the setup of each anew: only this global object is common to them. */
const run = ((globalThis as { testRun?: TestRun }).testRun ??= {});

/** Worker processes read the addresses from the environment. */
export async function startDatabase(): Promise<void> {
  if (run.stopPostgres) return;
  const server = await startTestPostgres();
  run.stopPostgres = server.stop;
  process.env['TEST_SERVER_URL'] = server.url;
  // .ci/run names a folder that its runs share.
  process.env['SEEN_RESPONSES_DIR'] = process.env['SEEN_RESPONSES'] ?? newFolder('seen');
}

/** Before the workers, so that each package is installed once. */
export async function startConsumers(): Promise<void> {
  await installPackages('contractTools');
  await installPackages('consumers');
  await startDatabase();
}

export async function startBrowsers(): Promise<void> {
  await installPackages('browser');
  await startPrograms();
}

export async function startProcesses(): Promise<void> {
  await installPackages('contractTools');
  await startPrograms();
}

export async function startPrograms(): Promise<void> {
  await buildPrograms();
  await startDatabase();
}

export async function startFaults(): Promise<void> {
  process.env['FAULT_ROWS_DIR'] = newFolder('faults');
  process.env['SEED'] ||= String(randomInt(2 ** 31));
  process.stdout.write(`seed: SEED=${process.env['SEED']}\n`);
  await startPrograms();
}

export async function endFaults(config: JestConfig): Promise<void> {
  const folder = process.env['FAULT_ROWS_DIR']!;
  try {
    printFaultTable(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await endDatabase(config);
  }
}

/** The projects whose tests have to see each documented response, together. */
const seeing = ['contract', 'integration', 'nightly'];

/** When these projects have run whole, in this run or in those before it that share its folder, it checks the responses. */
export async function endDatabase({ testNamePattern }: JestConfig): Promise<void> {
  if (!run.stopPostgres) return;
  const stop = run.stopPostgres;
  delete run.stopPostgres;
  run.isEnding = true;
  await stop();
  const folder = process.env['SEEN_RESPONSES_DIR']!;
  const list = path.join(folder, 'testFiles');
  if (!testNamePattern) appendFileSync(list, run.testFilesRun!.map((file) => `${file}\n`).join(''));
  const ran = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : [];
  const isWhole = seeing.flatMap(testFiles).every((file) => ran.includes(file));
  try {
    if (isWhole) await assertEveryResponseSeen(folder);
  } finally {
    if (process.env['SEEN_RESPONSES'] === undefined) rmSync(folder, { recursive: true, force: true });
    run.isEnding = false;
  }
}

function testFiles(project: string): string[] {
  const folder = projectFile('test', project);
  // A copy of the project need not have them all.
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => path.join(folder, name));
}

function newFolder(name: string): string {
  return mkdtempSync(path.join(tmpdir(), `campaign-analytics-${name}-`));
}
