// The metrics of the copy that answers the reads of analytics: how far it is behind, its size, and the questions to either engine.
import { Counter, Gauge, type Registry } from 'prom-client';
import { fromZero } from './fromZero.ts';
import { plainHistogram } from './plainHistogram.ts';

const outcomes = ['answered', 'building', 'busy', 'too_large', 'cancelled', 'failed'] as const;
export type QuestionOutcome = (typeof outcomes)[number];

const reasons = ['database', 'file', 'disk', 'memory'] as const;
/** What stopped the copy until its next try. */
export type CopyTrouble = (typeof reasons)[number];

/** What of the copy is compared with PostgreSQL. */
export const provedRelations = ['sessions', 'events', 'devices', 'transactions', 'renewals'] as const;
export type ProvedRelation = (typeof provedRelations)[number];

export interface CopySize {
  rows: Readonly<Record<string, number>>;
  memoryBytes: number;
  fileBytes: number;
}

export function analyticsMetrics(registers: Registry[]) {
  return { ...copyMetrics(registers), ...questionMetrics(registers) };
}

function copyMetrics(registers: Registry[]) {
  let asOfMillis: number | null = null;
  let builtShare: number | null = null;
  gaugeOrAbsent(registers, {
    name: 'analytics_copy_lag_seconds',
    help: 'Age of the moment up to which the copy holds everything. Absent while there is no copy, or while it is built.',
    read: () => (asOfMillis === null ? null : Math.max(0, Date.now() - asOfMillis) / 1_000),
  });
  gaugeOrAbsent(registers, {
    name: 'analytics_copy_progress',
    help: 'The share of the copy that is built: 1 while it answers. Absent in a process without a copy.',
    read: () => builtShare,
  });
  const gauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const rows = gauge('analytics_copy_rows', 'Rows of the copy, by relation.', ['relation']);
  const memory = gauge('analytics_copy_memory_bytes', 'Memory that DuckDB holds, below ANALYTICS_MEMORY_MIB.');
  const bytes = gauge('analytics_copy_file_bytes', "The copy's file with its write-ahead log.");
  const troubles = new Counter({
    name: 'analytics_copy_failures_total',
    help: 'What stopped the copy until its next try: database (PostgreSQL), file (damaged, built anew), disk (full, or no right to write).',
    labelNames: ['reason'],
    registers,
  });
  fromZero(troubles, 'reason', reasons);
  const mended = new Counter({
    name: 'analytics_copy_mended_total',
    help: 'Days of an application, by relation, in which the copy differed from PostgreSQL and was read anew. Always 0, unless the service or somebody beside it has a fault.',
    labelNames: ['relation'],
    registers,
  });
  fromZero(mended, 'relation', provedRelations);
  return {
    copyProgressed: (share: number): void => void (builtShare = share),
    /** Null: no copy answers. */
    copyFollowed: (asOf: number | null): void => void (asOfMillis = asOf),
    copyMeasured(size: CopySize): void {
      for (const [relation, count] of Object.entries(size.rows)) rows.set({ relation }, count);
      memory.set(size.memoryBytes);
      bytes.set(size.fileBytes);
    },
    copyFailed: (reason: CopyTrouble) => troubles.inc({ reason }),
    copyMended: (relation: ProvedRelation, days: number) => mended.inc({ relation }, days),
  };
}

interface MaybeAbsent {
  name: string;
  help: string;
  /** Null: the gauge is absent. Most processes have no copy, and an alert would take a zero for a late one. */
  read(): number | null;
}

function gaugeOrAbsent(registers: Registry[], { name, help, read }: MaybeAbsent): void {
  new Gauge({
    name,
    help,
    registers,
    collect() {
      const value = read();
      if (value === null) this.remove();
      else this.set(value);
    },
  });
}

function questionMetrics(registers: Registry[]) {
  const questions = new Counter({
    name: 'analytics_questions_total',
    help: 'Questions of the reads of analytics by outcome: answered, building (no copy yet), busy (too many at once), too_large (time, memory or rows), cancelled (its request ended), failed.',
    labelNames: ['outcome'],
    registers,
  });
  fromZero(questions, 'outcome', outcomes);
  const duration = plainHistogram({
    name: 'analytics_question_duration_seconds',
    help: 'Time of an answered question, its wait for a turn included.',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 5, 10, 15],
    registers,
  })({});
  return {
    questionEnded(outcome: QuestionOutcome, millis: number): void {
      questions.inc({ outcome });
      if (outcome === 'answered') duration(millis / 1_000);
    },
  };
}

export type AnalyticsMetrics = ReturnType<typeof analyticsMetrics>;
