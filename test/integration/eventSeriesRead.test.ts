// `eventSeries` three ways: each engine and the reference give the same figures for whatever was drawn.
import type { EventSeriesQuestion } from '../../src/analytics/questions.ts';
import { readEventSeries } from '../../src/analytics/reads/eventSeriesRead.ts';
import { eventSeriesQuestions } from '../support/analytics/drawnQuestions.ts';
import { eventSeriesOf } from '../support/analytics/eventSeriesReference.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

testThreeWays<EventSeriesQuestion, unknown>('eventSeries', {
  question: eventSeriesQuestions,
  reference: eventSeriesOf,
  async read(engine, question, { now }) {
    const { asOf, ...found } = await readEventSeries(engine, question, new Date(now / 1_000));
    expect(asOf).toBeInstanceOf(Date);
    return found;
  },
});
