// Tasks whose kinds take turns for the connections that all jobs share.
import { kindOf } from '../platform/jobQueue/jobKinds.ts';
import { inLane } from '../platform/turns.ts';
import type { AnyTasks } from './tasks.ts';

export function lanedTasks(tasks: AnyTasks): AnyTasks {
  return Object.fromEntries(
    Object.entries(tasks).map(([name, run]): [string, AnyTasks[string]] => [
      name,
      (payload, helpers) => inLane(kindOf(name), () => run(payload, helpers)),
    ]),
  );
}
