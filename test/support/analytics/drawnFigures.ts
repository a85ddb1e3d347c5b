// Draws figures of the reports: questions with a point, a line or a cohort of their responses, and some of none.
import fc from 'fast-check';
import type { Figure, PropertyValue } from '../../../src/analytics/questions.ts';
import { previousCalendar, reportPoints } from '../../../src/analytics/reportDays.ts';
import type { Drawn } from './drawn.ts';
import { activityQuestions, eventSeriesQuestions, funnelQuestions, retentionQuestions } from './drawnQuestions.ts';
import { eventSeriesOf } from './eventSeriesReference.ts';
import { funnelOf } from './funnelReference.ts';

/** The application is known only once all is stored. */
const applicationId = '';

/** Null: the whole range. */
function startOf(points: readonly { start: number }[]): fc.Arbitrary<Date | null> {
  const starts = points.map(({ start }) => new Date(start));
  const known = starts.length > 0 ? fc.constantFrom(...starts) : fc.constant(null);
  return fc.oneof({ weight: 6, arbitrary: known }, fc.constant(null), fc.constant(new Date(1_000)));
}

const activityFigure = (about: Drawn): fc.Arbitrary<Figure> =>
  activityQuestions(about).chain((drawn) => {
    const question = { ...drawn, applicationId };
    const before = question.compare ? reportPoints(previousCalendar(question), question.interval) : [];
    return fc.record({
      of: fc.constant('activity' as const),
      question: fc.constant(question),
      start: startOf([...reportPoints(question, question.interval), ...before]),
      figure: fc.constantFrom('ACTIVE' as const, 'NEW' as const, 'SESSIONS' as const),
    });
  });

const seriesFigure = (about: Drawn): fc.Arbitrary<Figure> =>
  eventSeriesQuestions(about).chain((drawn) => {
    const question = { ...drawn, applicationId };
    const lines = eventSeriesOf(about, { ...question, measure: 'COUNT', property: null }).series.map((each) => ({
      ...{ series: each.index, line: { value: each.breakdownValue, isOther: each.isOther } },
    }));
    const none = { series: 0, line: { value: 'none' as PropertyValue | null, isOther: false } };
    return fc
      .record({ place: fc.constantFrom(...lines, none), start: startOf(reportPoints(question, question.interval)) })
      .map(({ place: { series, line }, start }) => ({
        ...{ of: 'eventSeries' as const, question, series, start },
        line: question.breakdown ? line : null,
      }));
  });

export function funnelFigures(about: Drawn): fc.Arbitrary<Figure> {
  return funnelQuestions(about).chain((drawn) => {
    const question = { ...drawn, applicationId };
    const lines = (funnelOf(about, question).breakdown ?? []).map(({ value, isOther }) => ({ value, isOther }));
    return fc
      .record({
        step: fc.nat(question.steps.length - 1),
        dropped: fc.boolean(),
        line: fc.constantFrom(null, ...(question.breakdown ? [{ value: 'none', isOther: false }, ...lines] : [])),
      })
      .map(({ step, dropped, line }) => ({
        ...{ of: 'funnel' as const, question, step, line },
        dropped: dropped && step > 0,
      }));
  });
}

const retentionFigure = (about: Drawn): fc.Arbitrary<Figure> =>
  retentionQuestions(about).chain((drawn) => {
    const question = { ...drawn, applicationId };
    return fc.record({
      of: fc.constant('retention' as const),
      question: fc.constant(question),
      cohort: startOf(reportPoints(question, question.interval)).map((start) => start ?? new Date(0)),
      index: fc.option(fc.nat(question.periods - 1), { nil: null }),
    });
  });

/** Those of reports by time. */
export function figures(about: Drawn): fc.Arbitrary<Figure> {
  return fc.oneof(activityFigure(about), seriesFigure(about), retentionFigure(about));
}
