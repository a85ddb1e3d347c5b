// A PostgreSQL for one test file, durable as in production, that can be stopped immediately, killed, and started again at its address.
import { realpathSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { startEmbeddedPostgres } from '../../../src/development/embeddedPostgres/embeddedPostgres.ts';
import { findPostgresBinaries } from '../../../src/development/embeddedPostgres/postgresServer.ts';
import { chooseRunner, placeIn, run } from '../../../src/development/embeddedPostgres/postgresCluster.ts';
import { createLog } from '../../../src/platform/observability/log.ts';
import { killHard, postgresPid } from '../../support/serviceProcess.ts';

export interface FaultPostgres {
  url: string;
  /** Stops without a checkpoint: the next start has to recover. */
  stopAtOnce(): Promise<void>;
  /** Sends SIGKILL to the server; its back-ends end with it. */
  kill(): Promise<void>;
  /** Resolves when the server accepts connections again, at the same address. */
  start(): Promise<void>;
  /** Also works when a fault has left the server down. */
  close(): Promise<void>;
}

const startWithinMillis = 60_000;

/** The caller must remove `dataDir` (`clearAway` does). */
export async function startFaultPostgres(
  dataDir: string,
  settings: Record<string, string> = {},
): Promise<FaultPostgres> {
  const server = await startEmbeddedPostgres({ dataDir, log: createLog('silent'), settings });
  const place = placeIn(realpathSync(dataDir));
  const { pgCtl, initdb } = await findPostgresBinaries();
  const runner = await chooseRunner({ ...place, initdb });
  const control = async (...words: string[]): Promise<string | null> => {
    const log = await open(place.log, 'a');
    const { exitCode } = await run(runner, [pgCtl, ...words, '-w', '-s', '-D', place.cluster], log.fd);
    await log.close();
    return exitCode === 0 ? null : (await readFile(place.log, 'utf8')).slice(-2_000);
  };
  const start = async (): Promise<void> => {
    for (const end = Date.now() + startWithinMillis; ; await pause(100)) {
      // A restart reads the options of the first start, its port among them, from the cluster.
      const failure = await control('restart', '-m', 'immediate');
      if (failure === null) return;
      // The back-ends of a killed server keep its memory for a moment.
      if (Date.now() > end) throw new Error(`PostgreSQL did not start again:\n${failure}`);
    }
  };
  return {
    url: server.url,
    start,
    async stopAtOnce() {
      const failure = await control('stop', '-m', 'immediate');
      if (failure !== null) throw new Error(`PostgreSQL did not stop:\n${failure}`);
    },
    kill: () => killHard(postgresPid(dataDir)!),
    async close() {
      if (postgresPid(dataDir) === undefined) await start();
      await server.stop();
    },
  };
}
