// The one seed of a run, printed by test/support/testRun.ts: every random choice of the faults comes from it.
import { randomSource, type RandomSource } from '../../tools/demo/simulation/randomSource.ts';

/** The same name and SEED give the same sequence, whatever else runs. */
export function randomOf(name: string): RandomSource {
  return randomSource(Number(process.env['SEED']), name);
}

export function randomBytesOf(random: RandomSource, size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => random.between(0, 255)));
}

export function uuidOf(random: RandomSource): string {
  const hex = randomBytesOf(random, 16).toString('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)];
  return groups.join('-');
}
