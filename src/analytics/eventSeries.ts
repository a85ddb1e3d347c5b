// query eventSeries: a measure of events over time, by the values of a property.
import type { EventSeries, QueryEventSeriesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { inItsZone, type AnalyticsNeeds } from './askedApplication.ts';
import type { EventSeriesQuestion } from './questions.ts';
import { notYet } from './reads/notYet.ts';
import { readEventSeriesInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function eventSeries({ input }: QueryEventSeriesArgs, needs: AnalyticsNeeds): Promise<EventSeries> {
  const rules = inputRules();
  const asked = readEventSeriesInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<EventSeriesQuestion>(needs, asked);
  return notYet(question);
}
