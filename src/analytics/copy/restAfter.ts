// How long the follower rests after a step, so that uploads keep the processor where they take all of it.

/** Of the event loop's time, beyond which uploads would wait: a follower that catches up by itself takes less. */
const busy = 0.7;
/** Of a step. With it uploads keep 0.8 of their speed, without it 0.6 (test/bench/RESULTS.md). */
const restShare = 1.5;

/** Call it before a step. The returned function, called after it, gives the milliseconds to rest. */
export function restAfter(): () => number {
  const [begun, load] = [performance.now(), performance.eventLoopUtilization()];
  return () => {
    if (performance.eventLoopUtilization(load).utilization < busy) return 0;
    return (performance.now() - begun) * restShare;
  };
}
