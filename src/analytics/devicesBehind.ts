// query devicesBehind: the devices that one figure of a report has counted, in pages by cursor.
import type {
  ActivityFigureInput,
  DevicePage,
  DevicesBehindInput,
  DevicesBehindPointInput,
  EventSeriesFigureInput,
  FunnelFigureInput,
  QueryDevicesBehindArgs,
  RetentionFigureInput,
} from '../../generated/graphql.ts';
import { type EveryField, inputRules, type InputRules, readWholeNumber } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { deviceCursor, type DeviceListResult, readDeviceList } from './devices.ts';
import { type Dialect, sql, type Sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import { isOfEvents, seriesUnits } from './eventSeries.ts';
import { funnelUnits } from './funnel.ts';
import { type Page, readPage } from './questionInput.ts';
import type {
  ActivityQuestion,
  BreakdownValue,
  EventSeriesQuestion,
  Figure,
  FunnelQuestion,
  Property,
  Report,
  RetentionQuestion,
} from './questions.ts';
import { firstTimesOf, isAsked, timesOf, unitOf, unitOfDevice } from './reads/units.ts';
import { isWithin, pointsOfStart, previousCalendar, reportPoints } from './reportDays.ts';
import {
  readActivityInput,
  readEventSeriesInput,
  readFunnelInput,
  readRetentionInput,
  type Zoneless,
} from './reportInput.ts';
import { retentionUnits } from './retention.ts';

type Args = Partial<QueryDevicesBehindArgs> & Pick<QueryDevicesBehindArgs, 'of' | 'point'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function devicesBehind(args: Args, needs: AnalyticsNeeds): Promise<DevicePage> {
  const rules = inputRules();
  const asked = readFigure(rules, args);
  const page = readPage(rules, args, deviceCursor('devicesBehind'));
  rules.assert();
  const { question } = asked!;
  const { timeZone } = await findAskedApplication(needs, question.applicationId);
  const figure = { ...asked, question: { ...question, timeZone: question.timeZone ?? timeZone } } as Figure;
  return askEngine({
    needs,
    path: 'of',
    read: (engine) => readDevicesBehind(engine, figure, page),
    rowsOf: ({ nodes }) => nodes.length,
  });
}

// Reads the figure that `devicesBehind` opens: a question with the point of its response.

/** A figure before the application of its question is known. */
export type ZonelessFigure = Figure extends infer Each
  ? Each extends { question: infer Question extends Report }
    ? Omit<Each, 'question'> & { question: Zoneless<Question> }
    : never
  : never;

/** The fields of both are the same. */
type Names = Record<'activity' | 'eventSeries' | 'funnel' | 'retention', true>;

interface Given {
  of: EveryField<DevicesBehindInput, Names>;
  point: EveryField<DevicesBehindPointInput, Names>;
}

/** Null where a rule is broken: `rules.assert` throws then. */
export function readFigure(rules: InputRules, { of, point }: Given): ZonelessFigure | null {
  checkValue(rules, 'point.eventSeries.breakdownValue', point.eventSeries?.breakdownValue);
  checkValue(rules, 'point.funnel.breakdownValue', point.funnel?.breakdownValue);
  const figure = readPair(rules, { of, point });
  if (figure === null) rules.refuse('point', 'must have the same field as `of`');
  return figure;
}

function readPair(rules: InputRules, { of, point }: Given): ZonelessFigure | null {
  if (of.activity) {
    const question = readActivityInput(rules, 'of.activity', of.activity);
    return point.activity ? readActivityFigure(question, point.activity) : null;
  }
  if (of.eventSeries) {
    const question = readEventSeriesInput(rules, 'of.eventSeries', of.eventSeries);
    return point.eventSeries ? readSeriesFigure(rules, question, point.eventSeries) : null;
  }
  if (of.funnel) {
    const question = readFunnelInput(rules, 'of.funnel', of.funnel);
    return point.funnel ? readFunnelFigure(rules, question, point.funnel) : null;
  }
  if (!of.retention) return null;
  const question = readRetentionInput(rules, 'of.retention', of.retention);
  return point.retention ? readRetentionFigure(rules, question, point.retention) : null;
}

function readActivityFigure(
  question: Zoneless<ActivityQuestion>,
  { start, figure }: EveryField<ActivityFigureInput, Record<'start' | 'figure', true>>,
): ZonelessFigure {
  return { of: 'activity', question, start: start ?? null, figure: figure ?? 'ACTIVE' };
}

type LineNames = 'breakdownValue' | 'isOther';

function readSeriesFigure(
  rules: InputRules,
  question: Zoneless<EventSeriesQuestion>,
  point: EveryField<EventSeriesFigureInput, Record<'series' | 'start' | LineNames, true>>,
): ZonelessFigure {
  const { series, start } = point;
  const path = 'point.eventSeries';
  readWholeNumber(rules, `${path}.series`, { value: series, least: 0, most: question.events.length - 1 });
  const line = readLine(rules, path, { given: point, breakdown: question.breakdown });
  return { of: 'eventSeries', question, series, start: start ?? null, line };
}

function readFunnelFigure(
  rules: InputRules,
  question: Zoneless<FunnelQuestion>,
  point: EveryField<FunnelFigureInput, Record<'step' | 'dropped' | LineNames, true>>,
): ZonelessFigure {
  const path = 'point.funnel';
  const { step, dropped } = point;
  readWholeNumber(rules, `${path}.step`, { value: step, least: 0, most: question.steps.length - 1 });
  if (dropped && step === 0) rules.refuse(`${path}.dropped`, 'must be false for the first step');
  const line = readLine(rules, path, { given: point, breakdown: question.breakdown });
  return { of: 'funnel', question, step, dropped: dropped ?? false, line };
}

function readRetentionFigure(
  rules: InputRules,
  question: Zoneless<RetentionQuestion>,
  { cohort, index }: EveryField<RetentionFigureInput, Record<'cohort' | 'index', true>>,
): ZonelessFigure {
  const most = question.periods - 1;
  const wanted = readWholeNumber(rules, 'point.retention.index', { value: index, least: 0, most });
  return { of: 'retention', question, cohort, index: wanted };
}

function checkValue(rules: InputRules, path: string, value: unknown): void {
  if (typeof value === 'string') rules.text(path, value, 8_192);
  else if (value != null && typeof value !== 'number' && typeof value !== 'boolean') {
    rules.refuse(path, 'must be a string, a number, a boolean or null');
  }
}

interface GivenLine {
  breakdownValue?: unknown;
  isOther?: boolean | null | undefined;
}

/** Null where neither field is given. */
function readLine(
  rules: InputRules,
  path: string,
  { given, breakdown }: { given: GivenLine; breakdown: Property | null },
): BreakdownValue | null {
  const { breakdownValue: value, isOther } = given;
  const at = `${path}.breakdownValue`;
  if (value === undefined && !isOther) return null;
  if (breakdown === null) rules.refuse(isOther ? `${path}.isOther` : at, 'must be absent without a breakdown');
  else if (isOther && value != null) rules.refuse(at, 'must be absent beside `isOther`');
  return { value: (value ?? null) as BreakdownValue['value'], isOther: isOther ?? false };
}

// The read of `devicesBehind`: the devices whose units one figure of a report has counted.

export function readDevicesBehind(engine: AnalyticsEngine, figure: Figure, page: Page): Promise<DeviceListResult> {
  const { applicationId, includeTest } = figure.question;
  const fits = sql`d.device IN (SELECT device FROM (${figureDevices(engine.dialect, figure)}) AS counted)`;
  return readDeviceList(engine, {
    ...{ name: 'devicesBehind', applicationId, includeTest, fits, sort: 'LAST_SEEN' },
    ...page,
  });
}

// The units that a figure of a report has counted, and their devices, as relations in SQL (schema.graphql, "Analytics").

type ActivityFigure = Extract<Figure, { of: 'activity' }>;

/**
 * A relation with `device`. The devices of a user are those with a session of the user. A figure made of sessions or events
 * has the devices that brought these.
 */
export function figureDevices(dialect: Dialect, figure: Figure): Sql {
  const { question } = figure;
  if (figure.of === 'activity' && figure.figure === 'SESSIONS') {
    return sql`SELECT s.device FROM analytics.sessions s WHERE ${isAsked(question, 's')} AND ${isOfPoint(figure)(sql`s.at`)}`;
  }
  if (figure.of === 'eventSeries' && isOfEvents(figure.question.measure)) {
    const counted = seriesUnits(dialect, { ...figure, question: { ...figure.question, unit: 'DEVICE' } });
    return sql`SELECT unit AS device FROM (${counted}) AS units`;
  }
  const units = figureUnits(dialect, figure);
  if (question.unit === 'DEVICE') return sql`SELECT unit AS device FROM (${units}) AS units`;
  return sql`WITH units AS MATERIALIZED (${units})
    SELECT s.device FROM analytics.sessions s
      WHERE ${isAsked(question, 's')} AND ${unitOf('USER', 's')} IN (SELECT unit FROM units)
    UNION ALL SELECT d.device FROM analytics.devices d
      WHERE ${isAsked(question, 'd')} AND ${unitOfDevice('d')} IN (SELECT unit FROM units)`;
}

/** A relation with `unit`. */
function figureUnits(dialect: Dialect, figure: Figure): Sql {
  switch (figure.of) {
    case 'activity':
      return activityUnits(dialect, figure);
    case 'eventSeries':
      return seriesUnits(dialect, figure);
    case 'retention':
      return retentionUnits(dialect, figure);
    case 'funnel':
      return funnelUnits(dialect, figure);
  }
}

function activityUnits(dialect: Dialect, figure: ActivityFigure): Sql {
  const { question } = figure;
  const within = isOfPoint(figure);
  if (figure.figure === 'ACTIVE') {
    return sql`SELECT DISTINCT unit FROM (${timesOf(dialect, question, { selection: null, within })}) AS times`;
  }
  const firsts = firstTimesOf(dialect, question, { selection: null });
  return sql`SELECT unit FROM (${firsts}) AS firsts WHERE ${within(sql`moment`)}`;
}

/** The response has the points of the range, and where it is compared those before it. */
function isOfPoint({ question, start }: ActivityFigure): (at: Sql) => Sql {
  const { interval, compare } = question;
  const before = compare && start !== null ? reportPoints(previousCalendar(question), interval) : [];
  const points = pointsOfStart([...before, ...reportPoints(question, interval)], start);
  return (at) => isWithin(at, points);
}
