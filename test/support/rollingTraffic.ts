// Sends requests without a pause to processes that start and stop as behind a load balancer.
import { setTimeout as pause } from 'node:timers/promises';

export interface Traffic<Target> {
  /** Starts sending to a process. */
  add(target: Target): void;
  /** Stops sending to a process, and waits for its requests under way. */
  remove(target: Target): Promise<void>;
  /** The number of ended requests, and the reason of each failure. */
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
      // A steady rate that a busy machine can serve while it starts processes.
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
