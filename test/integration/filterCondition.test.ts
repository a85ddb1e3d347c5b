// Filters as SQL mean what the published vectors of conditions say, and so does the reference.
import { allHold } from '../../src/analytics/reads/filterCondition.ts';
import { question, raw, sql } from '../../src/analytics/engine/question.ts';
import type { Filter, PropertyValue } from '../../src/analytics/questions.ts';
import { fulfils } from '../support/analytics/conditions.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { loadVectors } from '../tools/conformance/vectors.ts';

interface ConditionVector {
  name: string;
  actual?: PropertyValue;
  condition: Pick<Filter, 'op' | 'value'>;
  holds: boolean;
}

/** A question with an unknown operator or a value of a wrong kind is refused before it is asked. */
const takes: Record<string, (value: unknown) => boolean> = {
  ...Object.fromEntries(['EQ', 'NEQ'].map((op) => [op, isPrimitive])),
  ...Object.fromEntries(['GT', 'GTE', 'LT', 'LTE'].map((op) => [op, isOrdered])),
  ...Object.fromEntries(['IN', 'NOT_IN'].map((op) => [op, isList])),
  CONTAINS: (value) => typeof value === 'string' && value !== '',
  EXISTS: (value) => value == null,
  NOT_EXISTS: (value) => value == null,
};
function isPrimitive(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}
function isOrdered(value: unknown): boolean {
  return ['string', 'number'].includes(typeof value);
}
function isList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every(isPrimitive);
}

const vectors = loadVectors<ConditionVector>('conditions.json').vectors.filter(
  ({ condition: { op, value } }) => takes[op]?.(value) ?? false,
);

let database: TestDatabase;
let engines: TestEngine[];
beforeAll(async () => {
  database = await createTestDatabase();
  engines = openEngines(database);
  for (const { follow } of engines) await follow();
});
afterAll(async () => {
  for (const { engine } of engines) await engine.close();
  await database.drop();
});

test('most vectors are questions', () => {
  expect(vectors.length).toBeGreaterThan(40);
});

test.each(vectors)('$name', async ({ actual, condition, holds }) => {
  expect(fulfils(condition, actual)).toBe(holds);
  const params = JSON.stringify(actual === undefined ? {} : { p: actual });
  const filter: Filter = { scope: 'EVENT', property: 'p', ...condition };
  for (const { engine, json } of engines) {
    const rows = sql`(SELECT CAST(${params}::text AS ${raw(json)}) AS params) AS e`;
    const asked = question(
      'filter',
    )`SELECT ${allHold(engine.dialect, [filter], { events: 'e' })} AS holds FROM ${rows}`;
    expect((await engine.ask<{ holds: boolean }>(asked)).rows).toEqual([{ holds }]);
  }
});
