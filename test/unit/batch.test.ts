// Batched reads of nested lists: their size is bounded before they are read.
import { batchLists, batchRows } from '../../src/platform/batch.ts';
import { createAnswerBudget } from '../../src/platform/answerBudget.ts';

test('no more rows are asked for than the answer may hold, and one', async () => {
  const asked: number[] = [];
  const fetch = (parents: readonly string[], take: number) => {
    asked.push(take);
    return Promise.resolve(Array.from({ length: take - 2 }, () => ({ parent: parents[0]! })));
  };
  const children = batchLists(createAnswerBudget(), fetch, ({ parent }) => parent);
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
  const budget = createAnswerBudget();
  const parents = batchRows(budget, fetch, ({ id }) => id);
  expect(await Promise.all(['a', 'b', 'a'].map((id) => parents.load(id)))).toEqual([
    { id: 'a' },
    { id: 'b' },
    { id: 'a' },
  ]);
  expect(asked).toEqual([['a', 'b']]);
  await budget.read(
    async ({ limit }) => expect(limit).toBe(19_998),
    () => ({ rows: 0, bytes: 0 }),
  );
});

test('a list counts for each parent that has it', async () => {
  const budget = createAnswerBudget();
  const list = async () => Array.from({ length: 8_000 }, () => ({ parent: 'a' }));
  const children = batchLists(budget, list, ({ parent }) => parent);
  const both = await Promise.all([children.load('a'), children.load('a')]);
  expect(both.map((rows) => rows.length)).toEqual([8_000, 8_000]);
  await expect(children.load('a')).rejects.toMatchObject({ code: 'validation_failed' });
});
