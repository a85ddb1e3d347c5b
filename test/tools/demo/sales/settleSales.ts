// Waits until the API says what the shop sold, or until nothing changes any more.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Item } from './item.ts';
import { compareSales, type SalesComparison } from './salesComparison.ts';

export interface SettlingSales {
  sold(): Item[];
  said(): Promise<Item[]>;
  /** Called after each comparison. */
  onProgress(agreeing: number, rows: number): void;
  pollMillis?: number;
  patienceMillis?: number;
}

/**
 * A restarted service takes over the jobs of the killed one within 40 s. It finds the end of a period within 15 s, and
 * looks for a late renewal after a minute.
 */
const defaultPatienceMillis = 120_000;

export async function settleSales({ sold, said, onProgress, ...times }: SettlingSales): Promise<SalesComparison> {
  const { pollMillis = 500, patienceMillis = defaultPatienceMillis } = times;
  let last = '';
  for (let movedAt = Date.now(); ; await sleep(pollMillis)) {
    const comparison = compareSales(sold(), await said());
    onProgress(comparison.rows.filter(({ agrees }) => agrees).length, comparison.rows.length);
    const problems = comparison.problems.join('\n');
    if (problems !== last) [last, movedAt] = [problems, Date.now()];
    // With this reason the service has not found the fake store's file. It tries again only after ten minutes.
    const hopeless = comparison.rows.some(({ state }) => state === 'no_root_certificates');
    if (problems === '' || hopeless || Date.now() - movedAt > patienceMillis) return comparison;
  }
}
