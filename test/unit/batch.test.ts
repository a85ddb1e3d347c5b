// Lists below lists: what is fetched for them is bounded before it is fetched.
import { batchLists, batchRows } from '../../src/platform/batch.ts';
import { createRowBudget, withinBudget } from '../../src/platform/rowBudget.ts';

test('no more rows are asked for than the answer may hold, and one', async () => {
  const asked: number[] = [];
  const fetch = (parents: readonly string[], take: number) => {
    asked.push(take);
    return Promise.resolve(Array.from({ length: take - 2 }, () => ({ parent: parents[0]! })));
  };
  const children = batchLists(createRowBudget(), fetch, ({ parent }) => parent);
  expect(await children.load('a')).toHaveLength(19_999);
  expect(await children.load('b')).toEqual([]);
  expect(asked).toEqual([20_001, 2]);
});

test('a row that several ask for is fetched once, and counts for each of them', async () => {
  const asked: (readonly string[])[] = [];
  const fetch = (ids: readonly string[]) => {
    asked.push(ids);
    return Promise.resolve(ids.map((id) => ({ id })));
  };
  const budget = createRowBudget();
  const parents = batchRows(budget, fetch, ({ id }) => id);
  expect(await Promise.all(['a', 'b', 'a'].map((id) => parents.load(id)))).toEqual([
    { id: 'a' },
    { id: 'b' },
    { id: 'a' },
  ]);
  expect([asked, budget.left()]).toEqual([[['a', 'b']], 19_997]);
});

test('one row too many is refused, not left out', async () => {
  const table = Array.from({ length: 20_001 }, (_, row) => row);
  const fetch = (limit: number) => Promise.resolve(table.slice(0, limit));
  await expect(withinBudget(createRowBudget(), fetch)).rejects.toMatchObject({ code: 'validation_failed' });
  table.pop();
  expect(await withinBudget(createRowBudget(), fetch)).toHaveLength(20_000);
});

test('once too much is spent nothing may be fetched, and no limit is below zero', async () => {
  const budget = createRowBudget();
  expect(() => budget.spend(30_000)).toThrow();
  const limits: number[] = [];
  const fetch = (limit: number) => {
    limits.push(limit);
    return Promise.resolve([]);
  };
  await expect(withinBudget(budget, fetch)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(limits).toEqual([0]);
});
