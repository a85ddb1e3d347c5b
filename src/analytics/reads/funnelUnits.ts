// The units of a step of `funnel`, or those that it has lost since the step before, where wanted of one line of its breakdown.
import type { Dialect } from '../engine/dialect.ts';
import { raw, sql, type Sql } from '../engine/question.ts';
import type { Figure } from '../questions.ts';
import { isOfLine } from './breakdownValues.ts';
import { enteringValues } from './funnelValues.ts';
import { funnelWalks } from './funnelWalks.ts';

type FunnelFigure = Extract<Figure, { of: 'funnel' }>;

/** A relation with `unit`. */
export function funnelUnits(dialect: Dialect, { question, step, dropped, line }: FunnelFigure): Sql {
  const reached = raw(`step${step}`);
  const units = dropped
    ? sql`SELECT unit FROM ${raw(`step${step - 1}`)} EXCEPT SELECT unit FROM ${reached}`
    : sql`SELECT unit FROM ${reached}`;
  const walks = funnelWalks(dialect, question);
  if (!question.breakdown || !line) return sql`WITH ${walks} ${units}`;
  return sql`WITH ${walks}, ${enteringValues(dialect)},
    lines AS (SELECT p.unit, p.slot, t.kind, t.word, t.figure FROM placed p LEFT JOIN tops t ON t.slot = p.slot)
    SELECT unit FROM (${units}) AS units WHERE unit IN (SELECT unit FROM lines WHERE ${isOfLine(line)})`;
}
