// What the service says: the reads of analytics by GraphQL, under the names that the devices' counts have.
import { askAnalytics, type Asked } from './askAnalytics.ts';
import { countedEvents } from './countedActivity.ts';
import { funnelSteps } from './countedPaths.ts';
import { dateOf, type Range } from './days.ts';
import type { Figures, Value } from './figures.ts';

type Point<Name extends string> = Record<Name, Value>;
type Counts = Point<'active' | 'new' | 'sessions' | 'medianSessionSeconds' | 'events'>;

export async function saidActivity(asked: Asked, range: Range): Promise<Figures> {
  const figures: Figures = new Map();
  for (const [units, unit] of [
    ['devices', 'DEVICE'],
    ['users', 'USER'],
  ] as const) {
    const { activity } = await askAnalytics<{ activity: { points: Counts[]; totals: Counts } }>(asked, activityQuery, {
      input: { ...inputOf(asked, range), unit },
    });
    const figure = (name: keyof Counts) => ({
      total: activity.totals[name],
      points: activity.points.map((point) => point[name]),
    });
    figures.set(`Activity: active ${units}`, figure('active'));
    figures.set(`Activity: new ${units}`, figure('new'));
    figures.set('Activity: sessions', figure('sessions'));
    figures.set('Activity: events', figure('events'));
    figures.set('Activity: median seconds of a session', figure('medianSessionSeconds'));
  }
  return figures;
}

interface Line {
  event: string;
  breakdownValue: unknown;
  points: { value: Value }[];
  total: Value;
}

export async function saidSeries(asked: Asked, range: Range): Promise<Figures> {
  const events = countedEvents.map((name) => ({ name, type: 'CUSTOM' }));
  const counts = await seriesOf(asked, { ...inputOf(asked, range), events });
  const screens = await seriesOf(asked, {
    ...{ ...inputOf(asked, range), measure: 'UNIQUE', breakdown: { scope: 'EVENT', property: 'screen' } },
    events: [{ name: 'ScreenViewed', type: 'CUSTOM' }],
  });
  const figure = ({ total, points }: Line) => ({ total, points: points.map(({ value }) => value) });
  return new Map([
    ...counts.map((line) => [`Series: ${line.event}`, figure(line)] as const),
    ...screens.map((line) => [`Series: devices on ${String(line.breakdownValue)}`, figure(line)] as const),
  ]);
}

async function seriesOf(asked: Asked, input: Record<string, unknown>): Promise<Line[]> {
  const { eventSeries } = await askAnalytics<{ eventSeries: { series: Line[] } }>(asked, seriesQuery, { input });
  return eventSeries.series;
}

export async function saidFunnel(asked: Asked, range: Range): Promise<Figures> {
  const { funnel } = await askAnalytics<{ funnel: { steps: { count: number; medianSeconds: Value }[] } }>(
    asked,
    'query Funnel($input: FunnelInput!) { funnel(input: $input) { steps { count medianSeconds } } }',
    {
      input: {
        ...inputOf(asked, range),
        steps: funnelSteps.map((name) => ({ name, type: 'CUSTOM' })),
        within: { value: 1, unit: 'HOUR' },
      },
    },
  );
  return new Map(
    funnel.steps.map(({ count, medianSeconds }, index) => [
      `Funnel, step ${index + 1}: ${funnelSteps[index]}`,
      { total: count, points: [medianSeconds] },
    ]),
  );
}

export async function saidRetention(asked: Asked, range: Range, periods: number): Promise<Figures> {
  const { retention } = await askAnalytics<{ retention: { cohorts: { periods: { count: number }[] }[] } }>(
    asked,
    'query Retention($input: RetentionInput!) { retention(input: $input) { cohorts { periods { count } } } }',
    { input: { ...inputOf(asked, range), start: { firstSeen: true }, returning: { any: true }, periods } },
  );
  const figures: Figures = new Map();
  for (let later = 0; later < periods; later++) {
    const points = retention.cohorts.map((cohort) => cohort.periods[later]!.count);
    figures.set(`Retention, day ${later}`, { total: points.reduce((sum, count) => sum + count, 0), points });
  }
  return figures;
}

type Money = Point<'gross' | 'refunds' | 'purchases' | 'renewals'>;

export async function saidRevenue(asked: Asked, currency: string, range: Range): Promise<Figures> {
  const { revenue } = await askAnalytics<{ revenue: { points: Money[]; totals: Money } }>(asked, revenueQuery, {
    input: { ...inputOf(asked, range), currency },
  });
  const figure = (name: keyof Money) => ({
    total: revenue.totals[name],
    points: revenue.points.map((point) => point[name]),
  });
  return new Map([
    [`Revenue: gross, ${currency}`, figure('gross')],
    [`Revenue: refunds, ${currency}`, figure('refunds')],
    ['Revenue: purchases', figure('purchases')],
    ['Revenue: renewals', figure('renewals')],
  ]);
}

function inputOf({ applicationId }: Asked, { first, last }: Range) {
  return { applicationId, from: dateOf(first), to: dateOf(last), timeZone: 'UTC' };
}

const activityQuery = `query Activity($input: ActivityInput!) { activity(input: $input) {
  points { active new sessions medianSessionSeconds events }
  totals { active new sessions medianSessionSeconds events }
} }`;
const seriesQuery = `query Series($input: EventSeriesInput!) { eventSeries(input: $input) {
  series { event breakdownValue points { value } total }
} }`;
const revenueQuery = `query Revenue($input: RevenueInput!) { revenue(input: $input) {
  points { gross refunds purchases renewals }
  totals { gross refunds purchases renewals }
} }`;
