// wrk as the load generator, because it is widely known: it can only count the acknowledged uploads, not name them.
import { execFile, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { projectFile } from '../../../../src/platform/projectRoot.ts';
import { batchJob, generatorName } from './batchJob.ts';
import type { LoadGenerator, LoadPlan, LoadResult } from './plan.ts';
import { preparedUploads } from './requests.ts';
import { lastResponsesMillis, unserved } from './tally.ts';

const script = projectFile('test', 'bench', 'ingest', 'load', 'wrk.lua');
const run = promisify(execFile);

export function isWrkInstalled(): boolean {
  return spawnSync('wrk', ['-v']).error === undefined;
}

export function startWrkLoad(): LoadGenerator {
  const folder = mkdtemp(join(tmpdir(), 'bench-wrk-'));
  const before = batchJob();
  return {
    name: generatorName('wrk', before),
    async prepare(plan) {
      if (plan.urls.length > 1) throw new Error('wrk takes one address: --load node takes several');
      const file = join(await folder, 'uploads');
      const whole = withAllUploads(plan);
      // wrk takes one more, which it never sends.
      await writeUploads(file, { ...whole, uploads: whole.uploads + 1 });
      return { run: () => runWrk([...before, 'wrk'], file, whole) };
    },
    async stop() {
      await rm(await folder, { recursive: true, force: true });
    },
  };
}

/** wrk does not know which upload a response belongs to, so an open loop sends no refused one again: each due one is new. */
function withAllUploads(plan: LoadPlan): LoadPlan {
  return plan.perSecond === undefined ? plan : { ...plan, uploads: Math.ceil(plan.perSecond * plan.seconds) };
}

async function writeUploads(file: string, plan: LoadPlan): Promise<void> {
  await pipeline(Readable.from(behindTheirLengths(plan)), createWriteStream(file));
}

function* behindTheirLengths(plan: LoadPlan): Generator<Buffer> {
  for (const { bytes } of preparedUploads(plan)) {
    yield Buffer.from(`${bytes.length}\n`);
    yield bytes;
  }
}

async function runWrk([command, ...before]: string[], file: string, plan: LoadPlan): Promise<LoadResult> {
  const { connections, seconds, urls, uploads, cycle, perSecond } = plan;
  const patience = lastResponsesMillis / 1_000;
  // An open loop stops by itself when all have a response; before it, the connections are made.
  const most = perSecond === undefined ? seconds : 2 * seconds + patience;
  const options = ['-t1', `-c${connections}`, `-d${most}s`, '--timeout', `${patience}s`];
  const how = perSecond === undefined ? (cycle ? ['cycle'] : []) : [String(perSecond)];
  const own = [file, String(uploads), String(connections), ...how];
  const { stdout } = await run(command!, [...before, ...options, '-s', script, urls[0]!, '--', ...own]);
  const record = /^RESULT (.*)$/m.exec(stdout)?.[1];
  if (record === undefined) throw new Error(`wrk printed no result: ${stdout}`);
  const result = JSON.parse(record) as Omit<LoadResult, 'due' | 'unserved' | 'acknowledged'>;
  return {
    ...result,
    due: perSecond === undefined ? result.sent : uploads,
    unserved: unserved(result),
    acknowledged: null,
  };
}
