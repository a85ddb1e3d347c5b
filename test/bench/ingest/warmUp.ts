// Phases that are not counted: they compile the hot path, which takes tens of thousands of uploads, and fill caches.
import type { Phase } from './measure/phase.ts';

/** As much of a gain says that the next phase may be faster still. */
const gain = 1.05;
const mostPhases = 10;
/** In a row, without such a gain: one alone may have been disturbed. */
const enough = 2;

/** Runs phases until they get no faster; answers the best rate in uploads a second. */
export async function warmUp(run: (phase: number) => Promise<Phase>): Promise<number> {
  let best = 0;
  for (let [phase, idle] = [1, 0]; phase <= mostPhases && idle < enough; phase++) {
    const { uploadsPerSecond } = await run(phase);
    idle = uploadsPerSecond > best * gain ? 0 : idle + 1;
    best = Math.max(best, uploadsPerSecond);
  }
  return best;
}
