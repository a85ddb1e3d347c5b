// The read of `funnel`: how many units reach each step, by the value at their entering event.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { join, raw, sql, question, type Question, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { FunnelQuestion, PropertyValue } from '../questions.ts';
import { mostValues, valueOfRow, type ValueRow } from './breakdownValues.ts';
import { enteringValues } from './funnelValues.ts';
import { funnelWalks, usesPresent } from './funnelWalks.ts';

export interface FunnelFigures {
  index: number;
  count: number;
  conversion: number | null;
  fromPrevious: number | null;
  medianSeconds: number | null;
}

export interface FunnelResult {
  steps: FunnelFigures[];
  breakdown: { value: PropertyValue | null; isOther: boolean; steps: FunnelFigures[] }[] | null;
  presentProperties: boolean;
  asOf: Date;
}

export async function readFunnel(engine: AnalyticsEngine, asked: FunnelQuestion): Promise<FunnelResult> {
  const { rows, asOf } = await engine.ask<Row>(statement(engine.dialect, asked));
  const stepsOf = (slot: number | null) =>
    figuresOf(asked, (step) => rows.find((row) => row.step === step && row.slot === slot));
  const lines = rows
    .filter(({ step, slot }) => step === 0 && slot !== null)
    .sort((one, other) => one.slot! - other.slot!);
  const breakdown = lines.map((line) => ({
    value: valueOfRow(line),
    isOther: line.slot === mostValues,
    steps: stepsOf(line.slot),
  }));
  return {
    steps: stepsOf(null),
    breakdown: asked.breakdown && breakdown,
    presentProperties: usesPresent(asked),
    asOf,
  };
}

interface Row extends ValueRow {
  step: number;
  /** The place of the value; null: all values together. */
  slot: number | null;
  count: number;
  median: number | null;
}

function figuresOf({ steps }: FunnelQuestion, rowOf: (step: number) => Row | undefined): FunnelFigures[] {
  const countOf = (step: number) => rowOf(Math.max(0, step))?.count ?? 0;
  const share = (count: number, of: number) => (of === 0 ? null : count / of);
  return steps.map((_, index) => ({
    index,
    count: countOf(index),
    conversion: share(countOf(index), countOf(0)),
    fromPrevious: share(countOf(index), countOf(index - 1)),
    medianSeconds: rowOf(index)?.median ?? null,
  }));
}

function statement(dialect: Dialect, asked: FunnelQuestion): Question {
  const { breakdown, steps } = asked;
  const median = dialect.quantile(sql`(s.at - s.before) / 1000000.0::float8`, 0.5);
  const counted = steps.map((_, index) => {
    const [number, step] = [raw(String(index)), raw(`step${index}`)];
    const all = sql`SELECT ${number} AS step, CAST(NULL AS bigint) AS slot, count(*) AS count, ${median} AS median FROM ${step} s`;
    if (!breakdown) return all;
    return sql`${all} UNION ALL SELECT ${number}, p.slot, count(*), ${median}
      FROM ${step} s JOIN placed p ON p.unit = s.unit GROUP BY p.slot`;
  });
  return question('funnel')`WITH ${funnelWalks(dialect, asked)}, ${breakdown ? enteringValues(dialect) : nowhere},
    counted AS (${join(counted, ' UNION ALL ')})
  SELECT c.step, c.slot, c.count, c.median, coalesce(t.kind, 3) AS kind, t.word, t.figure
    FROM counted c LEFT JOIN tops t ON c.step = 0 AND t.slot = c.slot`;
}

const nowhere: Sql = sql`tops AS (
    SELECT 0::bigint AS slot, 3 AS kind, CAST(NULL AS text) AS word, CAST(NULL AS float8) AS figure WHERE false)`;
