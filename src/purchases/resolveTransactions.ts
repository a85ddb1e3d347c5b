// The job that looks up the transactions of an application that are due, in one of its lines. Devices take turns in the line.
import { addResolveJob, wakeLines, type Line } from './storeJobs.ts';
import { resolveNext, type ResolveDeps, type Step } from './resolveStoreTransaction.ts';
import { enterLines, findNextLookUp, type Entrant } from './storeTransactionsStore.ts';

/** After this time another job goes on, behind those of other applications. */
const turnMillis = 1_000;
/** Look-ups of one application, so that it can make all calls that the store allows it. */
const atOnce = 8;
/** The longest pause between two jobs. New credentials may end a pause that the store has asked for. */
const longestPauseMillis = 60_000;

/**
 * The store of one application may hang: the job then holds its place until the time limit of its calls, and no other application
 * waits for it (src/jobs/places.ts).
 */
export async function resolveTransactions(line: Line, deps: ResolveDeps, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + turnMillis;
  const oneByOne = async (): Promise<Step> => {
    let step: Step = 'done';
    while (step === 'done' && performance.now() < endsAt && !signal.aborted) {
      step = await resolveNext(line, deps, signal);
    }
    return step;
  };
  // All of them end before an error ends the job.
  const ended = await Promise.allSettled(Array.from({ length: atOnce }, oneByOne));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  // Where the turn at the store does not come soon, the others have ended too: one alone takes each turn as it comes.
  const steps = ended.map((one) => (one.status === 'fulfilled' ? one.value : null));
  const notBefore = steps.includes('done') ? null : (steps.find((step) => step instanceof Date) ?? null);
  await addNextJob(line, notBefore, deps);
}

/** It looks again afterwards: this job may have replaced the one of a transaction that came since the look. */
async function addNextJob(line: Line, notBefore: Date | null, { pool }: Pick<ResolveDeps, 'pool'>): Promise<void> {
  let next = await findNextLookUp(pool, line);
  for (let added = Infinity; next && next.getTime() < added; next = await findNextLookUp(pool, line)) {
    const now = Date.now();
    const turn = Math.min(notBefore?.getTime() ?? now, now + longestPauseMillis);
    await addResolveJob(pool, line, new Date(Math.max(now, turn, next.getTime())));
    // One that is due now is due at the next look too, a little later.
    added = next.getTime();
  }
}

/** The job of an earlier version: the transaction enters its line. */
export async function enterLine(entrant: Entrant, { pool }: Pick<ResolveDeps, 'pool'>): Promise<void> {
  await wakeLines(pool, await enterLines(pool, [entrant]));
}
