// PostgreSQL's disk is full to the last byte: the API survives, and everything works again once there is space.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { clearAway, killHard, newDataDir, postgresPid, type RunningService } from '../support/serviceProcess.ts';
import { startFaultPostgres, type FaultPostgres } from './support/faultPostgres.ts';
import { newFaultApplication, startFaultService, withConnection } from './support/faultService.ts';
import { testFault } from './support/scenario.ts';

const diskMebibytes = 224;
const fullMillis = 3_000;
let disk: string;
let refusal: string | null;
let postgres: FaultPostgres;
let service: RunningService;
let ended = false;
beforeAll(async () => {
  disk = newDataDir();
  refusal = mount(disk);
  if (refusal !== null) return;
  const settings = { shared_buffers: '16MB', max_wal_size: '64MB', min_wal_size: '32MB' };
  postgres = await startFaultPostgres(disk, settings);
  service = await startFaultService(postgres.url);
  void service.ended.then(() => (ended = true));
});
afterAll(async () => {
  if (refusal === null) await throwAway(disk);
  await clearAway();
});

/** Also works after a failed test or an incomplete start. */
async function throwAway(folder: string): Promise<void> {
  const pid = postgresPid(folder);
  if (pid !== undefined) await killHard(pid);
  execFileSync('umount', ['--lazy', folder]);
}

/** Null, or the reason why this machine cannot mount a disk of a known size. */
function mount(folder: string): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskMebibytes}m,mode=755`, 'tmpfs', folder], { stdio: 'pipe' });
    return null;
  } catch (error) {
    const { stderr } = error as { stderr?: Buffer };
    return `no tmpfs can be mounted (${stderr?.toString().trim().split('\n')[0] ?? 'there is no mount'})`;
  }
}

/** Takes all the space that is left; returns a function that releases it. */
function fill(folder: string): () => void {
  const file = path.join(folder, 'filler');
  const descriptor = openSync(file, 'w');
  for (let size = 1_048_576; size >= 1;) {
    try {
      writeSync(descriptor, Buffer.alloc(size));
    } catch {
      size >>= 1;
    }
  }
  closeSync(descriptor);
  return () => rmSync(file);
}

/** PostgreSQL ends itself when its write-ahead log finds no space; a supervisor starts it again, as this function does. */
async function serving(): Promise<void> {
  if (postgresPid(disk) === undefined) return postgres.start();
  await withConnection(postgres.url, (client) => client.query('SELECT 1')).catch(() => postgres.start());
}

testFault({
  name: 'the disk of PostgreSQL full for 3 s',
  times: { short: 1, long: 5 },
  async run({ times, trial, injected, skip }) {
    if (refusal !== null) return skip(refusal);
    const target = { databaseUrl: postgres.url, url: () => service.url };
    const steady = await trial({ ...target, ...(await newFaultApplication(postgres.url)) });
    steady.load(8);
    for (let filled = 0; filled < times; filled++) {
      await steady.recovered();
      const makeRoom = fill(disk);
      await steady.refused();
      injected();
      await pause(fullMillis);
      makeRoom();
      await serving();
    }
    await steady.recovered();
    expect(ended).toBe(false);
  },
});
