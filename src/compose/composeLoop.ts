// The parts of the event loop that the admin API gets beside uploads, and the turns of its large requests.
import { performance } from 'node:perf_hooks';
import { watchUploads } from '../analytics/engine/besideUploads.ts';
import type { Deps } from '../deps.ts';
import { createLargeRequests } from '../platform/largeRequests.ts';
import { createLoopShare, type LoopShare } from '../platform/loopShare.ts';

/** Eight connections that send the worst documents cost uploads less than a fifth (docs/decisions/admin-loop-share.md). */
const slices = { sliceMillis: 10, burstMillis: 20 };
const ofStrangers = {
  ...slices,
  share: 1 / 10,
  idleShare: 1 / 30,
  needed: { count: 1, withinMillis: 1_000, heldMillis: 1_000 },
};
const ofUsers = {
  ...slices,
  share: 1 / 5,
  idleShare: 1 / 5,
  needed: { count: 20, withinMillis: 200, heldMillis: 2_000 },
};
/** What a large request costs in the database is not counted. */
const ofLarge = { ...ofUsers, share: 1 / 10, idleShare: 1 / 10 };

/** `areBusy` says whether uploads are short of the processor. */
export function createLoop(areBusy: () => boolean = () => false): Deps['loop'] {
  const [strangers, users, besideBusy] = [ofStrangers, ofUsers, ofLarge].map(createLoopShare) as Shares;
  const ofLargeNow = (): LoopShare => (areBusy() ? besideBusy : users);
  const needed = (): void => {
    for (const share of [strangers, users, besideBusy]) share.needed();
  };
  return {
    strangers,
    users,
    large: {
      turn: (lane) => ofLargeNow().turn(lane),
      pause: (lane) => ofLargeNow().pause(lane),
      charge: (millis) => ofLargeNow().charge(millis),
    },
    largeRequests: createLargeRequests(areBusy),
    needed,
  };
}

type Shares = [LoopShare, LoopShare, LoopShare];

/** Uploads are short of all cores, or of the thread: while requests of the admin API hold it, the other core waits. */
export function watchProcessor(underWay: () => number): () => boolean {
  const [cores, thread] = [watchUploads(underWay), watchUploads(underWay, threadTimes)];
  return () => cores() || thread();
}

/** Of the event loop, since it began. */
export function threadTimes(): { idle: number; all: number } {
  const { idle, active } = performance.eventLoopUtilization();
  return { idle, all: idle + active };
}
