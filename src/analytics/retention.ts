// query retention: how many units of a cohort come back.
import type { Retention, QueryRetentionArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { inItsZone, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import type { RetentionQuestion } from './questions.ts';
import { readRetention } from './reads/retentionRead.ts';
import { readRetentionInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function retention({ input }: QueryRetentionArgs, needs: AnalyticsNeeds): Promise<Retention> {
  const rules = inputRules();
  const asked = readRetentionInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<RetentionQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readRetention(engine, question, needs.now()),
    rowsOf: ({ cohorts }) => cohorts.reduce((sum, { periods }) => sum + 1 + periods.length, 0),
    less: 'fewer days or periods, or a longer interval',
  });
}
