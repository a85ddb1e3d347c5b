// Reads the figure that `devicesBehind` opens: a question with the point of its response.
import type { DevicesBehindInput, DevicesBehindPointInput } from '../../generated/graphql.ts';
import { readWholeNumber, type InputRules } from '../platform/inputRules.ts';
import type { BreakdownValue, Figure, Property, Report } from './questions.ts';
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

interface Given {
  of: DevicesBehindInput;
  point: DevicesBehindPointInput;
}

/** Null where a rule is broken: `rules.assert` throws then. */
export function readFigure(rules: InputRules, { of, point }: Given): ZonelessFigure | null {
  const figure = readPair(rules, { of, point });
  if (figure === null) rules.refuse('point', 'must have the same field as `of`');
  return figure;
}

function readPair(rules: InputRules, { of, point }: Given): ZonelessFigure | null {
  if (of.activity) {
    const question = readActivityInput(rules, 'of.activity', of.activity);
    if (!point.activity) return null;
    const { start, figure } = point.activity;
    return { of: 'activity', question, start: start ?? null, figure: figure ?? 'ACTIVE' };
  }
  if (of.eventSeries) return readSeriesFigure(rules, of.eventSeries, point.eventSeries);
  if (of.funnel) return readFunnelFigure(rules, of.funnel, point.funnel);
  return of.retention ? readRetentionFigure(rules, of.retention, point.retention) : null;
}

type Of<Name extends keyof DevicesBehindInput> = NonNullable<DevicesBehindInput[Name]>;
type PointOf<Name extends keyof DevicesBehindPointInput> = DevicesBehindPointInput[Name];

function readSeriesFigure(
  rules: InputRules,
  input: Of<'eventSeries'>,
  point: PointOf<'eventSeries'>,
): ZonelessFigure | null {
  const question = readEventSeriesInput(rules, 'of.eventSeries', input);
  if (!point) return null;
  const { series, start } = point;
  const path = 'point.eventSeries';
  readWholeNumber(rules, `${path}.series`, { value: series, least: 0, most: input.events.length - 1 });
  const line = readLine(rules, path, { given: point, breakdown: question.breakdown });
  const wanted = question.breakdown === null ? null : (line ?? { value: null, isOther: false });
  return { of: 'eventSeries', question, series, start: start ?? null, line: wanted };
}

function readFunnelFigure(rules: InputRules, input: Of<'funnel'>, point: PointOf<'funnel'>): ZonelessFigure | null {
  const question = readFunnelInput(rules, 'of.funnel', input);
  if (!point) return null;
  const path = 'point.funnel';
  const { step, dropped } = point;
  readWholeNumber(rules, `${path}.step`, { value: step, least: 0, most: input.steps.length - 1 });
  if (dropped && step === 0) rules.refuse(`${path}.dropped`, 'must be false for the first step');
  const line = readLine(rules, path, { given: point, breakdown: question.breakdown });
  return { of: 'funnel', question, step, dropped: dropped ?? false, line };
}

function readRetentionFigure(
  rules: InputRules,
  input: Of<'retention'>,
  point: PointOf<'retention'>,
): ZonelessFigure | null {
  const question = readRetentionInput(rules, 'of.retention', input);
  if (!point) return null;
  const most = question.periods - 1;
  const index = readWholeNumber(rules, 'point.retention.index', { value: point.index, least: 0, most });
  return { of: 'retention', question, cohort: point.cohort, index };
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
  if (typeof value === 'string') rules.text(at, value, 8_192);
  else if (value != null && typeof value !== 'number' && typeof value !== 'boolean') {
    rules.refuse(at, 'must be a string, a number, a boolean or null');
  }
  if (value === undefined && !isOther) return null;
  if (breakdown === null) rules.refuse(isOther ? `${path}.isOther` : at, 'must be absent without a breakdown');
  else if (isOther && value != null) rules.refuse(at, 'must be absent beside `isOther`');
  return { value: (value ?? null) as BreakdownValue['value'], isOther: isOther ?? false };
}
