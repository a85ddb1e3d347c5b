// The questions of the bench of reads, with the bound that each keeps on the embedded copy with ten million events.
import type { AnalyticsEngine } from '../../../src/analytics/engine/engine.ts';
import type {
  EventSelection,
  EventSeriesQuestion,
  Report,
  RetentionQuestion,
} from '../../../src/analytics/questions.ts';
import { readActivity } from '../../../src/analytics/activity.ts';
import { readDevicesBehind } from '../../../src/analytics/devicesBehind.ts';
import { readEventSeries } from '../../../src/analytics/eventSeries.ts';
import { readFunnel } from '../../../src/analytics/funnel.ts';
import { readRetention } from '../../../src/analytics/retention.ts';
import { readRevenue } from '../../../src/analytics/revenue.ts';
import { readSubscriptions } from '../../../src/analytics/subscriptions.ts';
import { dateOf, dayNumber } from '../../../src/analytics/reportDays.ts';
import { funnelFamilies } from './funnelCases.ts';
import { listCases } from './listCases.ts';

export interface Case {
  name: string;
  /** p95 in milliseconds; null: none is promised. */
  bound: number | null;
  /** Whether the embedded engine is at least ten times as fast as PostgreSQL. */
  isTenfold?: boolean;
  /** Resolves to the response, which is the same on both engines. */
  ask(engine: AnalyticsEngine): Promise<unknown>;
}

/** `now` is later than every arrival. */
export function cases(applicationId: string, now: Date): Case[] {
  const to = now.toISOString().slice(0, 10);
  const last = (days: number): Report => ({
    ...{ applicationId, includeTest: false, timeZone: 'Europe/Berlin' },
    ...{ from: dateOf(dayNumber(to) - days + 1), to },
  });
  const all = { about: { applicationId, includeTest: false }, last, now };
  return [
    ...activityCases(all),
    ...seriesCases(all),
    ...funnelCases(all),
    ...retentionCases(all),
    ...listCases(all.about, now),
    ...purchaseCases(all),
  ];
}

interface All {
  about: { applicationId: string; includeTest: boolean };
  last(days: number): Report;
  now: Date;
}

const custom = (name: string): EventSelection => ({ name, system: false, filters: [] });
const opened = custom('Opened');
const ofSource: EventSelection = {
  ...opened,
  filters: [{ scope: 'EVENT', property: 'source', op: 'EQ', value: 'source 7' }],
};

function activityCases({ last, now }: All): Case[] {
  const question = { interval: 'DAY', unit: 'DEVICE', compare: false } as const;
  const active = { of: 'activity', start: null, figure: 'ACTIVE', question: { ...last(30), ...question } } as const;
  return [
    { name: 'activity, 30 days', bound: 200, ask: (on) => readActivity(on, { ...last(30), ...question }, now) },
    { name: 'activity, 90 days', bound: 500, ask: (on) => readActivity(on, { ...last(90), ...question }, now) },
    {
      name: 'activity, 30 days, users, compared',
      bound: null,
      ask: (on) => readActivity(on, { ...last(30), ...question, unit: 'USER', compare: true }, now),
    },
    {
      name: 'devicesBehind activity, 30 days',
      bound: null,
      ask: (on) => readDevicesBehind(on, active, { limit: 50, after: null }),
    },
  ];
}

function seriesCases({ last, now }: All): Case[] {
  const question: EventSeriesQuestion = {
    ...{ ...last(30), interval: 'DAY', unit: 'DEVICE', events: [opened, custom('Event 3')] },
    ...{ measure: 'COUNT', property: null, breakdown: null },
  };
  const series = (name: string, bound: number, given: Partial<EventSeriesQuestion>): Case => ({
    name: `eventSeries, 30 days, ${name}`,
    ...{ bound, isTenfold: true },
    ask: (on) => readEventSeries(on, { ...question, ...given }, now),
  });
  return [
    series('COUNT', 200, {}),
    series('UNIQUE', 200, { measure: 'UNIQUE' }),
    series('filter', 200, { events: [ofSource] }),
    series('SUM', 200, { measure: 'SUM', property: 'price' }),
    series('breakdown', 400, { breakdown: { scope: 'EVENT', property: 'source' } }),
    series('breakdown by a property of devices', 400, { breakdown: { scope: 'DEVICE', property: 'country' } }),
  ];
}

function funnelCases({ last }: All): Case[] {
  const question = {
    ...({ ...last(30), unit: 'DEVICE', order: 'ORDERED', breakdown: null } as const),
    steps: [opened, custom('Event 3'), custom('Event 7')],
    withinMicros: 7n * 86_400_000_000n,
  };
  const families = funnelFamilies(last(30)).map(({ name, question: family }): Case => ({
    ...{ name, bound: null },
    ask: (on) => readFunnel(on, family),
  }));
  return [
    { name: 'funnel, 3 steps, 30 days', bound: 800, isTenfold: true, ask: (on) => readFunnel(on, question) },
    ...families,
  ];
}

function retentionCases({ last, now }: All): Case[] {
  const question: RetentionQuestion = {
    ...{ ...last(91), unit: 'DEVICE', interval: 'WEEK', periods: 13, mode: 'ON', start: null, returning: null },
  };
  const retention = (name: string, given: Partial<RetentionQuestion>): Case => ({
    name: `retention, 13 weeks${name}`,
    ...{ bound: 600, isTenfold: true },
    ask: (on) => readRetention(on, { ...question, ...given }, now),
  });
  return [retention('', {}), retention(', of an event', { start: opened, returning: custom('Event 3') })];
}

function purchaseCases({ about, last, now }: All): Case[] {
  const revenue = { ...last(90), interval: 'DAY', currency: 'EUR', breakdown: 'PRODUCT' } as const;
  return [
    { name: 'revenue, 90 days, breakdown', bound: null, ask: (on) => readRevenue(on, revenue, now) },
    { name: 'subscriptions', bound: null, ask: (on) => readSubscriptions(on, { ...about, at: now }) },
  ];
}
