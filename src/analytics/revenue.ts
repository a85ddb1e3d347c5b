// query revenue: what the purchases of one currency brought.
import type { Revenue, QueryRevenueArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { inItsZone, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import type { RevenueQuestion } from './questions.ts';
import { readRevenue } from './reads/revenueRead.ts';
import { readRevenueInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function revenue({ input }: QueryRevenueArgs, needs: AnalyticsNeeds): Promise<Revenue> {
  const rules = inputRules();
  const asked = readRevenueInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<RevenueQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readRevenue(engine, question, needs.now()),
    rowsOf: ({ points, breakdown }) =>
      points.length + (breakdown ?? []).reduce((sum, line) => sum + 1 + line.points.length, 0),
  });
}
