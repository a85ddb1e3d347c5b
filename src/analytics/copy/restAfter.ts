// How long the follower rests after a step, so that uploads keep the processor where they take all of it.

/** Of the event loop's time: 20,000 events a second, and a follower that catches up by itself, take less. */
const busy = 0.5;
/**
 * Of a step. Following an event costs nearly as much as storing it. A third of the time leaves uploads most of their speed
 * on two cores; the copy falls behind meanwhile.
 */
const restShare = 2;
/** Removals wait in the log too and must be out within a minute: a copy that is so far behind follows without rests. */
const mostBehindMillis = 20_000;

/** Call it before a step. The returned function, called after it with the time up to which the copy is complete, gives the milliseconds to rest. */
export function restAfter(): (asOfMillis: number) => number {
  const [begun, load] = [performance.now(), performance.eventLoopUtilization()];
  return (asOfMillis) => {
    if (Date.now() - asOfMillis > mostBehindMillis) return 0;
    if (performance.eventLoopUtilization(load).utilization < busy) return 0;
    return (performance.now() - begun) * restShare;
  };
}
