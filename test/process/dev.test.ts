// `npm run dev` in a copy of the repository: after each save, the service restarts with the change on the same database.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../support/eventually.ts';
import { createScratchRepository, type ScratchProject } from '../support/scratchProject.ts';
import { clearAway, newDataDir, postgresPid } from '../support/serviceProcess.ts';

let scratch: ScratchProject;
let dev: ChildProcess;
let output = '';
beforeAll(() => {
  scratch = createScratchRepository();
});
afterAll(async () => {
  if (dev.exitCode === null) process.kill(-dev.pid!, 'SIGKILL');
  await clearAway();
  scratch.remove();
});

/** The URLs of all starts so far. */
const urls = () => [...output.matchAll(/"url":"([^"]+)".*"msg":"listening"/g)].map(([, url]) => url!);

/** Waits for the output and not for a time: compiling takes long where everything runs at once. */
async function started(times: number): Promise<void> {
  const ended = once(dev, 'exit').then(() => Promise.reject(new Error(`it ended: ${output}`)));
  ended.catch(() => undefined);
  while (urls().length < times) await Promise.race([once(dev.stdout!, 'data'), ended]);
}

async function detailOfUnknownRoute(): Promise<unknown> {
  const response = await fetch(`${urls().at(-1)}/unknown`).catch(() => null);
  return response && ((await response.json()) as { detail: string }).detail;
}

test('a saved file and a saved contract start the service anew, and the embedded PostgreSQL runs on until the end', async () => {
  const dataDir = newDataDir();
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0', OPS_PORT: '0' };
  dev = spawn('npm', ['run', '-s', 'dev'], { cwd: scratch.folder, env, detached: true });
  for (const stream of [dev.stdout!, dev.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => void (output += text));
  await started(1);
  await eventually(detailOfUnknownRoute, (detail) => detail === 'Not Found');
  const pid = postgresPid(dataDir);
  expect(pid).toBeDefined();

  scratch.replace('src/http/responses.ts', /Not Found/, 'Nothing Here');
  await started(2);
  await eventually(detailOfUnknownRoute, (detail) => detail === 'Nothing Here');

  const starts = urls().length;
  scratch.replace('openapi.yaml', /$/, '\n');
  await started(starts + 1);
  await eventually(detailOfUnknownRoute, (detail) => detail === 'Nothing Here');
  expect(postgresPid(dataDir)).toBe(pid);

  process.kill(-dev.pid!, 'SIGINT');
  await once(dev, 'exit');
  expect(output).toContain('Stopped.');
  expect(postgresPid(dataDir)).toBeUndefined();
});
