// Runs phases that are not counted: they compile the hot path, which takes tens of thousands of uploads, and fill caches.
import type { Phase } from './measure/phase.ts';

/** A gain of this factor shows that the next phase may still be faster. */
const gain = 1.05;
const mostPhases = 10;
/** Phases in a row without such a gain: a single one may have been disturbed. */
const enough = 2;

/** Runs phases until they get no faster; returns the best rate in uploads a second. */
export async function warmUp(run: (phase: number) => Promise<Phase>): Promise<number> {
  let best = 0;
  for (let [phase, idle] = [1, 0]; phase <= mostPhases && idle < enough; phase++) {
    const { uploadsPerSecond } = await run(phase);
    idle = uploadsPerSecond > best * gain ? 0 : idle + 1;
    best = Math.max(best, uploadsPerSecond);
  }
  return best;
}
