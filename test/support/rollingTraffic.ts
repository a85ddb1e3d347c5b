// Requests that never pause, spread over processes that come and go as behind a load balancer.
import { setTimeout as pause } from 'node:timers/promises';

export interface Traffic<Target> {
  /** Begins to send to a process. */
  add(target: Target): void;
  /** Sends nothing new to a process, and waits for what is under way there. */
  remove(target: Target): Promise<void>;
  /** How many requests have ended, and what was wrong with those that failed. */
  outcome(): { done: number; failures: string[] };
  stop(): Promise<void>;
}

export function startTraffic<Target>(
  send: (target: Target) => Promise<void>,
  { senders }: { senders: number },
): Traffic<Target> {
  const targets: Target[] = [];
  const underWay = new Map<Target, Set<Promise<void>>>();
  const outcome = { done: 0, failures: [] as string[] };
  let stopped = false;
  let turn = 0;
  const request = async (target: Target): Promise<void> => {
    await send(target).catch((error: unknown) => void outcome.failures.push(String(error)));
    outcome.done += 1;
  };
  const sender = async (): Promise<void> => {
    while (!stopped) {
      const target = targets[turn++ % Math.max(targets.length, 1)];
      if (target === undefined) {
        await pause(5);
        continue;
      }
      const running = request(target);
      underWay.get(target)!.add(running);
      await running;
      // Steady, and not more than a busy machine can do beside starting processes.
      await pause(20);
      underWay.get(target)!.delete(running);
    }
  };
  const all = Array.from({ length: senders }, sender);
  return {
    add(target) {
      underWay.set(target, new Set());
      targets.push(target);
    },
    async remove(target) {
      targets.splice(targets.indexOf(target), 1);
      await Promise.all(underWay.get(target)!);
    },
    outcome: () => outcome,
    async stop() {
      stopped = true;
      await Promise.all(all);
    },
  };
}
