// Lists below lists: what is fetched for them is bounded before it is fetched.
import { batchLists } from '../../src/platform/batch.ts';
import { createRowBudget } from '../../src/platform/rowBudget.ts';

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
