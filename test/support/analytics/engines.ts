// The engines that a read is asked on in its tests: each with the rows that PostgreSQL has.
import type { TestDatabase } from '../testDatabase.ts';
import type { AnalyticsEngine, Answer } from '../../../src/analytics/engine/engine.ts';
import { postgresDialect } from '../../../src/analytics/engine/postgresDialect.ts';
import type { Question } from '../../../src/analytics/engine/question.ts';

/** Only until the engine on PostgreSQL is there: without a pool of its own, and without limits. */
export function standInEngine({ pool }: Pick<TestDatabase, 'pool'>): AnalyticsEngine {
  return {
    dialect: postgresDialect,
    async ask<Row>({ text, values }: Question): Promise<Answer<Row>> {
      const asOf = new Date();
      const { rows, fields } = await pool.query<Record<string, unknown>>(text, [...values]);
      // 20: int8. The driver gives it as text.
      const whole = fields.filter(({ dataTypeID }) => dataTypeID === 20).map(({ name }) => name);
      for (const row of rows) for (const name of whole) if (row[name] !== null) row[name] = Number(row[name]);
      return { rows: rows as Row[], asOf };
    },
    close: () => Promise.resolve(),
  };
}
