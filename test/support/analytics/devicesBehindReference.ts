// The reference of `devicesBehind`: the units that a figure of another reference has counted, and their devices.
import type { Figure, Unit } from '../../../src/analytics/questions.ts';
import { previousCalendar } from '../../../src/analytics/reportDays.ts';
import { linesOf } from './breakdownReference.ts';
import {
  activitiesOf,
  eventsOf,
  firstsOf,
  isIn,
  isSelected,
  sessionsOf,
  spansOf,
  unitOf,
  wholeSpan,
  type SeenEvent,
  type SeenSession,
  type Span,
} from './definitions.ts';
import type { Drawn, Micros } from './drawn.ts';
import { walksOf } from './funnelReference.ts';
import { byLastSeen, deviceResponse, type DeviceResponse } from './listReferences.ts';
import { membersOf } from './retentionReference.ts';

export function devicesBehindOf(drawn: Drawn, figure: Figure): DeviceResponse[] {
  const sessions = sessionsOf(drawn, figure.question.includeTest);
  const devices = devicesOfFigure(drawn, sessions, figure);
  const seen = drawn.asked.devices.filter(({ id }) => devices.has(id));
  return byLastSeen(seen.map((device) => deviceResponse(drawn, device)));
}

function devicesOfFigure(drawn: Drawn, sessions: SeenSession[], figure: Figure): Set<string> {
  if (figure.of === 'activity') return ofActivity(sessions, figure);
  if (figure.of === 'eventSeries' && !['UNIQUE', 'PER_UNIT'].includes(figure.question.measure)) {
    return new Set(eventsOfSeries(sessions, figure).map(({ session }) => session.device));
  }
  const units = unitsOfFigure(drawn, sessions, figure);
  return devicesOfUnits(sessions, units, figure.question.unit);
}

/** With USER all devices with a session of a counted user, and the counted devices without one. */
function devicesOfUnits(sessions: readonly SeenSession[], units: ReadonlySet<string>, unit: Unit): Set<string> {
  return new Set(sessions.filter((session) => units.has(unitOf(session, unit))).map(({ device }) => device));
}

function ofActivity(
  sessions: SeenSession[],
  { question, start, figure }: Extract<Figure, { of: 'activity' }>,
): Set<string> {
  const before = question.compare ? spansOf({ ...question, ...previousCalendar(question) }, question.interval) : [];
  const span = spanAt([...before, ...spansOf(question, question.interval)], start) ?? wholeSpan(question);
  if (figure === 'SESSIONS') return new Set(sessions.filter(({ at }) => isIn(span, at)).map(({ device }) => device));
  const activities = activitiesOf(sessions, question.unit);
  const firsts = [...firstsOf(activities)].map(([unit, at]) => ({ unit, at }));
  const counted = (figure === 'NEW' ? firsts : activities).filter(({ at }) => isIn(span, at));
  return devicesOfUnits(sessions, new Set(counted.map(({ unit }) => unit)), question.unit);
}

type OfUnits = Exclude<Figure, { of: 'activity' }>;

function unitsOfFigure(drawn: Drawn, sessions: SeenSession[], figure: OfUnits): Set<string> {
  if (figure.of === 'eventSeries') return ofSeries(sessions, figure);
  if (figure.of === 'funnel') return ofFunnel(drawn, figure);
  return new Set(membersOf(drawn, figure.question, { cohort: microsAt(figure.cohort), index: figure.index }));
}

type OfSeries = Extract<Figure, { of: 'eventSeries' }>;

function ofSeries(sessions: SeenSession[], figure: OfSeries): Set<string> {
  return new Set(eventsOfSeries(sessions, figure).map(({ session }) => unitOf(session, figure.question.unit)));
}

function eventsOfSeries(sessions: SeenSession[], { question, series, start, line }: OfSeries): SeenEvent[] {
  const range = wholeSpan(question);
  const selection = question.events[series]!;
  const events = eventsOf(sessions).filter((event) => isIn(range, event.at) && isSelected(event, selection));
  const lines = question.breakdown ? linesOf(events, question.breakdown) : [];
  const found = lines.find(({ value, isOther }) => value === line?.value && isOther === line.isOther);
  const span = spanAt(spansOf(question, question.interval), start) ?? range;
  const own = line ? (found?.events ?? []) : events;
  return own.filter(({ at }) => isIn(span, at));
}

function ofFunnel(drawn: Drawn, { question, step, dropped, line }: Extract<Figure, { of: 'funnel' }>): Set<string> {
  const walks = walksOf(drawn, question);
  const lines = question.breakdown
    ? linesOf(
        walks.map(({ steps }) => steps[0]!),
        question.breakdown,
      )
    : [];
  const found = lines.find(({ value, isOther }) => value === line?.value && isOther === line.isOther);
  const own = walks.filter(({ steps }) => line === null || (found?.events.includes(steps[0]!) ?? false));
  const counted = own.filter(({ steps }) => (dropped ? steps.length === step : steps.length > step));
  return new Set(counted.map(({ unit }) => unit));
}

const microsAt = (date: Date): Micros => date.getTime() * 1_000;

/** Null for the whole range. A start that is none of the response names a point with nothing in it. */
function spanAt(spans: readonly Span[], start: Date | null): Span | null {
  if (start === null) return null;
  return spans.find((span) => span.start === microsAt(start)) ?? { start: 0, end: 0 };
}
