// The units that a figure of a report has counted, and their devices, as relations in SQL (schema.graphql, "Analytics").
import { sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import { funnelUnits } from './funnelUnits.ts';
import type { Figure } from '../questions.ts';
import { previousCalendar, reportPoints } from '../reportDays.ts';
import { isWithin, pointsOfStart } from './pointOf.ts';
import { retentionUnits } from './retentionUnits.ts';
import { isOfEvents } from './seriesMeasure.ts';
import { seriesUnits } from './seriesUnits.ts';
import { firstTimesOf, timesOf } from './timesOfUnits.ts';
import { isAsked, unitOf, unitOfDevice } from './unitOf.ts';

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
