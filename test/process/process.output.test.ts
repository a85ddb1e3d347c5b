// The built process responds and ends in order although nobody takes its output: on a full disk, or with closed readers.
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { openSync, closeSync } from 'node:fs';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';
import { askAdmin } from '../support/adminClient.ts';
import { eventually } from '../support/eventually.ts';
import { startFlags } from '../support/startFlags.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { unusedPort } from '../support/unusedPort.ts';

let database: TestDatabase;
let child: ChildProcess;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterEach(() => void child.kill('SIGKILL'));
afterAll(() => database.drop());

/** Another test may take a port before the process listens. The process then ends, and its output goes nowhere here. */
async function start(stdio: StdioOptions): Promise<{ url: string; opsUrl: string }> {
  const addresses = await startOnce(stdio);
  const ready = () => fetch(`${addresses.opsUrl}/readyz`).catch(() => null);
  await eventually(ready, (answer) => answer?.status === 200 || child.exitCode !== null);
  return child.exitCode === null ? addresses : await startOnce(stdio);
}

async function startOnce(stdio: StdioOptions): Promise<{ url: string; opsUrl: string }> {
  const [port, opsPort] = [await unusedPort(), await unusedPort()];
  const env = { DATABASE_URL: database.url, PORT: String(port), OPS_PORT: String(opsPort), DATA_DIR: '/nonexistent' };
  const program = projectFile('dist', 'src', 'main.js');
  child = spawn(process.execPath, [...startFlags, program], { cwd: projectRoot, env, stdio });
  return { url: `http://127.0.0.1:${port}`, opsUrl: `http://127.0.0.1:${opsPort}` };
}

async function expectToServe({ url, opsUrl }: { url: string; opsUrl: string }): Promise<void> {
  const ready = () => fetch(`${opsUrl}/readyz`).catch(() => null);
  await eventually(ready, (answer) => answer?.status === 200);
  await eventually(
    () => fetch(url).catch(() => null),
    (answer) => answer?.status === 404,
  );
  // Each request writes a line to the log; together the lines exceed the buffer of a pipe.
  for (let index = 0; index < 500; index++) {
    expect((await askAdmin(url, { query: '{ me { email } }' })).status).toBe(401);
  }
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

test('with a full disk under both outputs', async () => {
  const full = openSync('/dev/full', 'w');
  const addresses = await start(['ignore', full, full]);
  closeSync(full);
  await expectToServe(addresses);
});

test('with readers that have gone', async () => {
  const addresses = await start(['ignore', 'pipe', 'pipe']);
  child.stdout!.destroy();
  child.stderr!.destroy();
  await expectToServe(addresses);
});

test('with a reader that reads nothing', async () => {
  const addresses = await start(['ignore', 'pipe', 'ignore']);
  child.stdout!.pause();
  await expectToServe(addresses);
});
