// Describes the machine and the code that the figures belong to.
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import { projectRoot } from '../../../../src/platform/projectRoot.ts';
import { withClient } from '../targets/benchDatabase.ts';

export interface Machine {
  date: string;
  commit: string;
  node: string;
  postgres: string;
  system: string;
  processor: string;
  cores: number;
  memoryGibibytes: number;
}

export async function describeMachine(databaseUrl: string): Promise<Machine> {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ server_version: string }>('SHOW server_version'),
  );
  return {
    date: new Date().toISOString(),
    commit: commit(),
    node: process.version,
    postgres: rows[0]!.server_version,
    system: `${os.type()} ${os.release()} ${os.arch()}`,
    processor: os.cpus()[0]?.model.trim() ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGibibytes: Number((os.totalmem() / 2 ** 30).toFixed(1)),
  };
}

function commit(): string {
  try {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: projectRoot, encoding: 'utf8' }).trim();
    const changed = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : ' with changes';
    return `${git('rev-parse', '--short', 'HEAD')}${changed}`;
  } catch {
    return 'unknown';
  }
}
