// Tasks whose runs are spans, each the beginning of a trace.
import { traced, type Tracing } from '../platform/observability/tracing/tracing.ts';
import type { AnyTasks } from './tasks.ts';

export function tracedTasks(tasks: AnyTasks, tracing: Tracing): AnyTasks {
  return Object.fromEntries(Object.entries(tasks).map(([name, run]) => [name, tracedTask(name, run, tracing)]));
}

function tracedTask(task: string, run: AnyTasks[string], tracing: Tracing): AnyTasks[string] {
  return (payload, helpers) => {
    const attributes = { 'job.task': task, 'job.attempt': helpers.job.attempts };
    const start = { name: `job ${task}`, kind: 'consumer', parent: null, attributes } as const;
    return traced(tracing, start, () => run(payload, helpers));
  };
}
