// Reads the figure that `devicesBehind` opens: a question with the point of its response.
import type {
  ActivityFigureInput,
  DevicesBehindInput,
  DevicesBehindPointInput,
  EventSeriesFigureInput,
  FunnelFigureInput,
  RetentionFigureInput,
} from '../../generated/graphql.ts';
import type { EveryField } from '../platform/everyField.ts';
import { readWholeNumber, type InputRules } from '../platform/inputRules.ts';
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
import {
  readActivityInput,
  readEventSeriesInput,
  readFunnelInput,
  readRetentionInput,
  type Zoneless,
} from './reportInput.ts';

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
