// The references of the analytics reads: by hand on the data of docs/analytics, and against each other on whatever was drawn.
import fc from 'fast-check';
import type { Figure, FunnelQuestion } from '../../src/analytics/questions.ts';
import { activityOf } from '../support/analytics/activityReference.ts';
import { devicesBehindOf } from '../support/analytics/devicesBehindReference.ts';
import { drawn } from '../support/analytics/drawnSessions.ts';
import {
  activityQuestions,
  eventSeriesQuestions,
  funnelQuestions,
  retentionQuestions,
} from '../support/analytics/drawnQuestions.ts';
import { eventSeriesOf } from '../support/analytics/eventSeriesReference.ts';
import { funnelOf } from '../support/analytics/funnelReference.ts';
import { devicesOf, eventNamesOf, recentEventsOf, userDevicesOf } from '../support/analytics/listReferences.ts';
import { retentionOf } from '../support/analytics/retentionReference.ts';
import { exampleData } from '../support/analytics/workedExamples.ts';

const example = exampleData();
const asked = {
  applicationId: '',
  from: '2026-03-27',
  to: '2026-03-30',
  timeZone: 'Europe/Berlin',
  includeTest: false,
};
const custom = (name: string) => ({ name, system: false, filters: [] });

describe('by hand', () => {
  test('a funnel of devices and of users', () => {
    const question: FunnelQuestion = {
      ...asked,
      unit: 'DEVICE',
      steps: [custom('ProductViewed'), custom('Purchased')],
      withinMicros: 300_000_000n,
      order: 'ORDERED',
      breakdown: null,
    };
    const counts = (of: FunnelQuestion) => funnelOf(example, of).steps.map(({ count }) => count);
    // d1 after 240 s, d2 after 270 s; d3 has viewed only.
    expect(counts(question)).toEqual([3, 2]);
    expect(funnelOf(example, question).steps[1]).toEqual({
      ...{ index: 1, count: 2, conversion: 2 / 3, fromPrevious: 2 / 3, medianSeconds: 255 },
    });
    expect(counts({ ...question, withinMicros: 240_000_000n })).toEqual([3, 1]);
    // d1 without a user, ann, and d3. Ann views on d1 first, and buys on d2 22 hours later.
    expect(counts({ ...question, unit: 'USER' })).toEqual([3, 1]);
    expect(counts({ ...question, unit: 'USER', withinMicros: 86_400_000_000n })).toEqual([3, 2]);
    // The view itself serves one step.
    expect(counts({ ...question, steps: [custom('ProductViewed'), custom('ProductViewed')] })).toEqual([3, 0]);
  });

  test('a series by the values of a parameter, which keep their types', () => {
    const series = eventSeriesOf(example, {
      ...{ ...asked, interval: 'MONTH', unit: 'DEVICE', events: [custom('ProductViewed')], measure: 'COUNT' },
      ...{ property: null, breakdown: { scope: 'EVENT', property: 'price' } },
    }).series;
    expect(series.map(({ breakdownValue, total }) => [breakdownValue, total])).toEqual([
      ['5', 1],
      [5, 1],
      [7.5, 1],
      [null, 1],
    ]);
  });

  test('the retention of those who were seen first', () => {
    const { cohorts } = retentionOf(example, {
      ...{ ...asked, interval: 'DAY', unit: 'DEVICE', start: null, returning: null, mode: 'ON', periods: 3 },
    });
    expect(cohorts.map(({ size, periods }) => [size, ...periods.map(({ count }) => count)])).toEqual([
      [1, 1, 0, 1],
      [0, 0, 0, 0],
      [1, 1, 1, 0],
      [1, 1, 0, 0],
    ]);
  });

  test('the lists', () => {
    const all = { userId: null, search: null, filters: [], activeSince: null, includeTest: false } as const;
    expect(devicesOf(example, { ...all, sort: 'LAST_SEEN' }).map(({ id }) => id)).toEqual(['d3', 'd2', 'd1']);
    expect(devicesOf(example, { ...all, sort: 'SESSIONS' }).map(({ id }) => id)).toEqual(['d1', 'd2', 'd3']);
    expect(userDevicesOf(example, { userId: 'ann', includeTest: false }).map(({ id }) => id)).toEqual(['d2', 'd1']);
    const names = eventNamesOf(example, { includeTest: false, newest: 1_000, search: null });
    expect(names.map(({ name, count30Days }) => [name, count30Days])).toEqual([
      ['EventTriggered', 1],
      ['ProductViewed', 4],
      ['Purchased', 2],
    ]);
    const [newest] = recentEventsOf(example, { filters: [], includeTest: false });
    expect(newest).toMatchObject({ name: 'ProductViewed', session: { device: 'd3' } });
  });
});

const applicationId = '';
const numRuns = 150;

/** The devices behind a figure are as many as the figure, where devices are counted. */
const behind = (about: Parameters<typeof devicesBehindOf>[0], figure: Figure) => devicesBehindOf(about, figure).length;

test('the devices behind activity are as many as its figures', () => {
  const cases = drawn.chain((about) => activityQuestions(about).map((question) => ({ about, question })));
  const property = fc.property(cases, ({ about, question }) => {
    const whole = { ...question, applicationId, unit: 'DEVICE' as const };
    const { points, totals } = activityOf(about, whole);
    for (const { start, active, new: fresh } of [...points, { start: null, ...totals }]) {
      const at = start === null ? null : new Date(start / 1_000);
      expect(behind(about, { of: 'activity', question: whole, start: at, figure: 'ACTIVE' })).toBe(active);
      expect(behind(about, { of: 'activity', question: whole, start: at, figure: 'NEW' })).toBe(fresh);
    }
    expect(totals.new).toBe(points.reduce((sum, point) => sum + point.new, 0));
  });
  fc.assert(property, { numRuns });
});

test('the devices behind a series, and points that add up', () => {
  const cases = drawn.chain((about) => eventSeriesQuestions(about).map((question) => ({ about, question })));
  const property = fc.property(cases, ({ about, question }) => {
    const whole = { ...question, applicationId, unit: 'DEVICE' as const, property: null };
    const unique = eventSeriesOf(about, { ...whole, measure: 'UNIQUE' });
    for (const { index, breakdownValue, isOther, total } of unique.series) {
      const line = question.breakdown ? { value: breakdownValue, isOther } : null;
      expect(behind(about, { of: 'eventSeries', question: whole, series: index, start: null, line })).toBe(total);
    }
    for (const { points, total } of eventSeriesOf(about, { ...whole, measure: 'COUNT' }).series) {
      expect(points.reduce((sum, { value }) => sum + value!, 0)).toBe(total);
    }
  });
  fc.assert(property, { numRuns });
});

test('the devices behind a funnel: a step has those of the next one, and those who dropped', () => {
  const cases = drawn.chain((about) => funnelQuestions(about).map((question) => ({ about, question })));
  const property = fc.property(cases, ({ about, question }) => {
    const whole = { ...question, applicationId, unit: 'DEVICE' as const };
    const { steps, breakdown } = funnelOf(about, whole);
    steps.forEach(({ count }, step) => {
      const figure = { of: 'funnel', question: whole, step, line: null } as const;
      expect(behind(about, { ...figure, dropped: false })).toBe(count);
      if (step > 0) expect(behind(about, { ...figure, dropped: true })).toBe(steps[step - 1]!.count - count);
    });
    const entered = breakdown?.reduce((sum, line) => sum + line.steps[0]!.count, 0);
    if (breakdown) expect(entered).toBe(steps[0]!.count);
  });
  fc.assert(property, { numRuns });
});

test('the devices behind retention, of which ON_OR_AFTER never has fewer', () => {
  const cases = drawn.chain((about) => retentionQuestions(about).map((question) => ({ about, question })));
  const property = fc.property(cases, ({ about, question }) => {
    const whole = { ...question, applicationId, unit: 'DEVICE' as const };
    const [on, after] = (['ON', 'ON_OR_AFTER'] as const).map((mode) => retentionOf(about, { ...whole, mode }).cohorts);
    on!.forEach(({ start, size, periods }, cohort) => {
      const figure = { of: 'retention', question: { ...whole, mode: 'ON' }, cohort: new Date(start / 1_000) } as const;
      expect(behind(about, { ...figure, index: null })).toBe(size);
      periods.forEach(({ index, count }) => {
        expect(behind(about, { ...figure, index })).toBe(count);
        expect(count).toBeLessThanOrEqual(after![cohort]!.periods[index]!.count);
        expect(after![cohort]!.periods[index]!.count).toBeLessThanOrEqual(size);
      });
    });
  });
  fc.assert(property, { numRuns: 40 });
});
