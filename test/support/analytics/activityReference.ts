// The reference of `activity`: loops over its definitions.
import type { ActivityQuestion } from '../../../src/analytics/questions.ts';
import { lastDays, previousCalendar } from '../../../src/analytics/reportDays.ts';
import {
  activitiesOf,
  distinct,
  firstsOf,
  isIn,
  isMirror,
  isSpanComplete,
  lengthOf,
  percentile,
  sessionsOf,
  spansOf,
  wholeSpan,
  type SeenSession,
  type Span,
} from './definitions.ts';
import type { Drawn, Micros } from './drawn.ts';

export interface ActivityFigures {
  active: number;
  new: number;
  sessions: number;
  medianSessionSeconds: number | null;
  events: number;
}

export interface ActivityRange {
  points: (ActivityFigures & { start: Micros; complete: boolean })[];
  totals: ActivityFigures;
}

export interface ActivityResponse extends ActivityRange {
  previous: ActivityRange | null;
  stickiness: number | null;
}

export function activityOf(drawn: Drawn, question: ActivityQuestion): ActivityResponse {
  const sessions = sessionsOf(drawn, question.includeTest);
  const rangeOf = (calendar: ActivityQuestion): ActivityRange => ({
    points: spansOf(calendar, question.interval).map((span) => ({
      start: span.start,
      complete: isSpanComplete(span, drawn.now),
      ...figuresOf(sessions, span, question),
    })),
    totals: figuresOf(sessions, wholeSpan(calendar), question),
  });
  return {
    ...rangeOf(question),
    previous: question.compare ? rangeOf({ ...question, ...previousCalendar(question) }) : null,
    stickiness: stickinessOf(sessions, question),
  };
}

function figuresOf(sessions: readonly SeenSession[], span: Span, { unit }: ActivityQuestion): ActivityFigures {
  const activities = activitiesOf(sessions, unit);
  const begun = sessions.filter(({ at }) => isIn(span, at));
  const lengths = begun.flatMap((session) => lengthOf(session) ?? []);
  const events = sessions.flatMap(({ seen }) => seen).filter((event) => !isMirror(event));
  return {
    active: distinct(activities.filter(({ at }) => isIn(span, at)).map((each) => each.unit)),
    new: [...firstsOf(activities).values()].filter((at) => isIn(span, at)).length,
    sessions: begun.length,
    medianSessionSeconds: percentile(lengths, 0.5),
    events: events.filter(({ at }) => isIn(span, at)).length,
  };
}

/** The mean of the days' active units, over the active units of these 30 days. */
function stickinessOf(sessions: readonly SeenSession[], question: ActivityQuestion): number | null {
  const calendar = lastDays(question, 30);
  const { active } = figuresOf(sessions, wholeSpan(calendar), question);
  if (active === 0) return null;
  const days = spansOf(calendar, 'DAY');
  let sum = 0;
  for (const day of days) sum += figuresOf(sessions, day, question).active;
  return sum / days.length / active;
}
