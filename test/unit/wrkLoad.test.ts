// wrk as the load generator of the bench, tested with a stand-in that prints its input, because wrk is rarely installed.
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadPlan } from '../bench/ingest/load/plan.ts';
import { startLoad } from '../bench/ingest/load/startLoad.ts';
import { shapes } from '../bench/ingest/shapes.ts';

const given = {
  sent: 3,
  withoutRetryAfter: 0,
  seconds: 1.5,
  p50Millis: 2,
  p99Millis: 4,
  slowestMillis: 5,
  cpuSeconds: 0.1,
};
const plan: LoadPlan = {
  urls: ['http://127.0.0.1:9'],
  key: { public: 'key', secret: 'secret' },
  shape: shapes[0]!,
  signed: true,
  connections: 2,
  seconds: 1,
  uploads: 3,
  cycle: false,
  seed: 1,
  name: 'wrk',
};
const path = process.env['PATH'];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wrk-test-'));
  process.env['PATH'] = folder;
});
afterEach(async () => {
  process.env['PATH'] = path;
  await rm(folder, { recursive: true });
});

/** Prints as its result the number of requests in the prepared file less one that wrk never sends, and `given` for the rest. */
async function installStandIn(): Promise<void> {
  const source = `#!${process.execPath}
    const { readFileSync } = require('node:fs');
    if (process.argv[2] === '-v') process.exit(1);
    const own = process.argv.slice(process.argv.indexOf('--') + 1);
    let found = 0;
    for (let rest = readFileSync(own[0]); rest.length > 0; found++) {
      const end = rest.indexOf(10);
      const length = Number(rest.subarray(0, end));
      if (!rest.subarray(end + 1).toString().startsWith('POST /api/v1/session ')) process.exit(2);
      rest = rest.subarray(end + 1 + length);
    }
    console.log('Running 1s test\\nRESULT ' + JSON.stringify({ ...${JSON.stringify(given)}, statuses: { 200: found - 1 } }));
  `;
  await writeFile(join(folder, 'wrk'), source);
  await chmod(join(folder, 'wrk'), 0o755);
}

test('it sends the prepared uploads, each behind its length, and reads what wrk found', async () => {
  await installStandIn();
  const load = startLoad('auto', { manyAddresses: false });
  expect(load.name).toBe('wrk');
  const prepared = await load.prepare(plan);
  await expect(prepared.run()).resolves.toEqual({
    ...given,
    due: 3,
    statuses: { 200: 3 },
    unanswered: 0,
    acknowledged: null,
  });
  await load.stop();
});

test('an open loop prepares an upload for each due time', async () => {
  await installStandIn();
  const load = startLoad('auto', { manyAddresses: false });
  const prepared = await load.prepare({ ...plan, perSecond: 5, seconds: 2 });
  await expect(prepared.run()).resolves.toMatchObject({ due: 10, statuses: { 200: 10 } });
  await load.stop();
});

test('it refuses what wrk cannot do', async () => {
  await installStandIn();
  const load = startLoad('wrk', { manyAddresses: true });
  await expect(load.prepare({ ...plan, urls: [...plan.urls, ...plan.urls] })).rejects.toThrow('--load node');
  await load.stop();
});

test('asked for where it is not installed, it says so', () => {
  expect(() => startLoad('wrk', { manyAddresses: false })).toThrow('wrk is not installed');
});
