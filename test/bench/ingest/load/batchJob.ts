// Runs the load generator as a batch job, so that it does not interrupt the processes that it measures.
import { spawnSync } from 'node:child_process';

/**
 * The words before a command that run it with Linux's SCHED_BATCH, by `chrt` of util-linux; empty without `chrt`.
 * Without SCHED_BATCH each response wakes the generator on the core of the process that wrote the response. That
 * process then waits while the generator sends its next upload, some thirty times in a row, although the other core may
 * be idle. A client on a machine of its own interrupts no process.
 */
export function batchJob(): string[] {
  return spawnSync('chrt', ['--batch', '0', 'true']).status === 0 ? ['chrt', '--batch', '0'] : [];
}

/** The generator's name beside the figures; `before` is the result of `batchJob`. */
export function generatorName(name: string, before: string[]): string {
  return before.length > 0 ? `${name}, as a batch job` : name;
}
