// query eventSeries: a measure of events over time, by the values of a property.
import type { EventSeries, QueryEventSeriesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { inItsZone, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import type { EventSeriesQuestion } from './questions.ts';
import { readEventSeries } from './reads/eventSeriesRead.ts';
import { readEventSeriesInput } from './reportInput.ts';

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function eventSeries({ input }: QueryEventSeriesArgs, needs: AnalyticsNeeds): Promise<EventSeries> {
  const rules = inputRules();
  const asked = readEventSeriesInput(rules, 'input', input);
  rules.assert();
  const question = await inItsZone<EventSeriesQuestion>(needs, asked);
  return askEngine({
    needs,
    path: 'input',
    read: (engine) => readEventSeries(engine, question, needs.now()),
    rowsOf: ({ series }) => series.reduce((sum, { points }) => sum + 1 + points.length, 0),
    less: 'fewer events or days, a longer interval or no breakdown',
  });
}
