// Tasks that count their runs: how each one ended, and how long it took.
import type { Metrics } from '../platform/metrics.ts';
import type { Tasks } from './tasks.ts';

export function observedTasks(tasks: Tasks, metrics: Pick<Metrics, 'jobEnded'>): Tasks {
  return Object.fromEntries(Object.entries(tasks).map(([name, run]) => [name, observed(name, run, metrics)]));
}

function observed(task: string, run: Tasks[string], metrics: Pick<Metrics, 'jobEnded'>): Tasks[string] {
  return async (payload, helpers) => {
    const begun = performance.now();
    try {
      await run(payload, helpers);
      metrics.jobEnded({ task, outcome: 'success', millis: performance.now() - begun });
    } catch (error) {
      const last = helpers.job.attempts >= helpers.job.max_attempts;
      metrics.jobEnded({ task, outcome: last ? 'given_up' : 'failure', millis: performance.now() - begun });
      throw error;
    }
  };
}
