// Chooses the load generator.
import { startNodeLoad } from './nodeLoad.ts';
import type { LoadGenerator } from './plan.ts';

export function startLoad(_which: 'auto' | 'node' | 'wrk'): LoadGenerator {
  return startNodeLoad();
}
