// Reads processor time and peak memory of processes from the operating system; null on a system without /proc.
import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports processor time in hundredths of a second, independent of the kernel's own tick. */
const ticksPerSecond = 100;

/**
 * Seconds of a process since its start. With `children`, the time of its living and ended children is included
 * (PostgreSQL's backends).
 */
export function cpuSeconds(pid: number, { children = false } = {}): number | null {
  const own = cpuOf(pid);
  if (own === null || !children) return own && own.seconds;
  const living = processes().filter(({ parent }) => parent === pid);
  return living.reduce((sum, child) => sum + child.seconds, own.seconds + own.ofGoneChildren);
}

/** Processor seconds of all processes together. */
export function machineSeconds(): number | null {
  const [user, nice, system, , , irq, softirq, steal] = machineTicks() ?? [];
  return user === undefined ? null : secondsOf([user, nice, system, irq, softirq, steal]);
}

/** Processor seconds that no process asked for, of all cores together. */
export function idleSeconds(): number | null {
  const [, , , idle, waiting] = machineTicks() ?? [];
  return idle === undefined ? null : secondsOf([idle, waiting]);
}

function machineTicks(): number[] | undefined {
  return read('/proc/stat')?.split('\n')[0]?.trim().split(/\s+/).slice(1).map(Number);
}

function secondsOf(ticks: (number | undefined)[]): number {
  return ticks.reduce<number>((sum, each) => sum + (each ?? 0), 0) / ticksPerSecond;
}

export function peakMebibytes(pid: number): number | null {
  const kibibytes = /^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kibibytes === undefined ? null : Number(kibibytes) / 1_024;
}

interface ProcessCpu {
  parent: number;
  seconds: number;
  ofGoneChildren: number;
}

function processes(): ProcessCpu[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map((pid) => cpuOf(Number(pid))).filter((found) => found !== null);
}

function cpuOf(pid: number): ProcessCpu | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name in parentheses may contain any character; the fields begin after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, childrenUser, childrenSystem] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) / ticksPerSecond);
  return {
    parent: Number(fields[1]),
    seconds: user! + system!,
    ofGoneChildren: childrenUser! + childrenSystem!,
  };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
