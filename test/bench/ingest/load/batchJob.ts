// How the generator shares the cores: as a batch job, which does not interrupt what it measures.
import { spawnSync } from 'node:child_process';

/**
 * What stands before a command to run it with Linux's SCHED_BATCH, by `chrt` of util-linux; nothing where there is none.
 * Otherwise each answer wakes the generator on the core of whoever has written it, which waits for it to send its next
 * upload: some thirty times in a row, while the other core may be idle. A client on a machine of its own interrupts nobody.
 */
export function batchJob(): string[] {
  return spawnSync('chrt', ['--batch', '0', 'true']).status === 0 ? ['chrt', '--batch', '0'] : [];
}

/** For what is printed beside the figures; `before` is what `batchJob` has answered. */
export function generatorName(name: string, before: string[]): string {
  return before.length > 0 ? `${name}, as a batch job` : name;
}
