// Asks the operating system about other processes, for the lock and the server that a killed service left behind.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { hasCode } from '../../platform/errors.ts';

/** False only when the process is certainly gone. A process of another user counts as alive. */
export function processIsAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** The command line of a process, word by word. Empty when the process is gone or hidden. */
export async function commandLine(pid: number): Promise<string[]> {
  if (process.platform === 'linux') {
    // From /proc, because slim container images have no ps.
    const words = await readFile(`/proc/${String(pid)}/cmdline`, 'utf8').catch(() => '');
    return words.split('\0').filter((word) => word !== '');
  }
  const listed = promisify(execFile)('ps', ['-o', 'args=', '-p', String(pid)]);
  return listed.then(
    ({ stdout }) => stdout.trim().split(/\s+/),
    () => [],
  );
}
