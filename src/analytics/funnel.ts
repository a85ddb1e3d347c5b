// query funnel: how many units go through steps.
import type { Funnel, QueryFunnelArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { inItsZone, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import type { FunnelQuestion } from './questions.ts';
import { readFunnel } from './reads/funnelRead.ts';
import { readFunnelInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function funnel({ input }: QueryFunnelArgs, needs: AnalyticsNeeds): Promise<Funnel> {
  const rules = inputRules();
  const asked = readFunnelInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<FunnelQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readFunnel(engine, question),
    rowsOf: ({ steps, breakdown }) => steps.length * (1 + (breakdown?.length ?? 0)) + (breakdown?.length ?? 0),
  });
}
