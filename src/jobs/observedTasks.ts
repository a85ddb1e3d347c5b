// Tasks that count their runs: how each run ended, and how long it took.
import type { Metrics } from '../platform/observability/metrics.ts';
import type { AnyTasks } from './tasks.ts';

export function observedTasks(tasks: AnyTasks, metrics: Pick<Metrics, 'jobEnded'>): AnyTasks {
  return Object.fromEntries(Object.entries(tasks).map(([name, run]) => [name, observed(name, run, metrics)]));
}

function observed(task: string, run: AnyTasks[string], metrics: Pick<Metrics, 'jobEnded'>): AnyTasks[string] {
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
