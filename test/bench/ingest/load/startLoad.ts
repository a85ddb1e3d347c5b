// Chooses the load generator.
import { startNodeLoad } from './nodeLoad.ts';
import type { LoadGenerator } from './plan.ts';
import { isWrkInstalled, startWrkLoad } from './wrkLoad.ts';

/** `auto` is wrk if it is installed and supports the plan. Throws when `wrk` is required and not installed. */
export function startLoad(
  which: 'auto' | 'node' | 'wrk',
  { manyAddresses }: { manyAddresses: boolean },
): LoadGenerator {
  const installed = which !== 'node' && isWrkInstalled();
  if (which === 'wrk' && !installed) throw new Error('wrk is not installed: --load node needs nothing.');
  return installed && !(which === 'auto' && manyAddresses) ? startWrkLoad() : startNodeLoad();
}
