// query activity: active and new units, sessions and events over time.
import type { Activity, QueryActivityArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { inItsZone, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import type { ActivityQuestion } from './questions.ts';
import { readActivity } from './reads/activityRead.ts';
import { readActivityInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function activity({ input }: QueryActivityArgs, needs: AnalyticsNeeds): Promise<Activity> {
  const rules = inputRules();
  const asked = readActivityInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<ActivityQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readActivity(engine, question, needs.now()),
    rowsOf: ({ points, previous }) => points.length + (previous?.points.length ?? 0),
  });
}
