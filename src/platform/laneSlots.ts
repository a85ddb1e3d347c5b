// Lets one piece of work in each lane run at a time; those of other lanes run beside it.

/** Resolves when the lane's earlier pieces have ended. `ended` says when this piece has: also while it still waits. */
export type LaneSlots = (lane: string, ended: Promise<void>) => Promise<void>;

export function createLaneSlots(): LaneSlots {
  const last = new Map<string, Promise<void>>();
  return (lane, ended) => {
    const before = last.get(lane) ?? Promise.resolve();
    const after = before.then(() => ended);
    last.set(lane, after);
    void after.then(() => {
      if (last.get(lane) === after) last.delete(lane);
    });
    return before;
  };
}
