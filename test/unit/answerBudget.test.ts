// The budget of one response: rows and bytes are charged before the next read begins.
import { jest } from '@jest/globals';
import { createAnswerBudget, mostBytes, withinBudget, type Room } from '../../src/platform/answerBudget.ts';

const refused = { code: 'validation_failed' };
const rowsOf = (count: number) => Array.from({ length: count }, (_, row) => row);

test('one row too many is refused, not left out', async () => {
  const table = rowsOf(20_001);
  const fetch = ({ limit }: Room) => Promise.resolve(table.slice(0, limit));
  await expect(withinBudget(createAnswerBudget(), fetch)).rejects.toMatchObject(refused);
  table.pop();
  expect(await withinBudget(createAnswerBudget(), fetch)).toHaveLength(20_000);
});

test('the texts of rows are counted in bytes, however many rows they are', async () => {
  const text = 'é'.repeat(mostBytes / 4);
  const budget = createAnswerBudget();
  await withinBudget(budget, () => Promise.resolve([{ text }]));
  await expect(withinBudget(budget, () => Promise.resolve([{ text }]))).rejects.toMatchObject({
    ...refused,
    details: { fields: [{ path: '', message: expect.stringContaining('16777216 bytes') as string }] },
  });
});

test('an answer may hold 16 MiB to the byte', async () => {
  const budget = createAnswerBudget();
  const read = (bytes: number) => withinBudget(budget, () => Promise.resolve([bytes]), Number);
  expect([await read(mostBytes), await read(0)]).toEqual([[mostBytes], [0]]);
  await expect(read(1)).rejects.toMatchObject(refused);
});

test('a read is told how many bytes are left, and says itself what it has left out', async () => {
  const budget = createAnswerBudget();
  const rooms: Room[] = [];
  const fetch = (room: Room) => {
    rooms.push(room);
    return Promise.resolve([{ bytes: mostBytes - 10 }]);
  };
  const read = () => withinBudget(budget, fetch, ({ bytes }) => bytes);
  await read();
  await expect(read()).rejects.toMatchObject(refused);
  expect(rooms).toEqual([
    { limit: 20_001, bytes: mostBytes },
    { limit: 20_000, bytes: 10 },
  ]);
});

test('once too much was found nothing more is fetched', async () => {
  const budget = createAnswerBudget();
  await expect(withinBudget(budget, () => Promise.resolve(rowsOf(30_000)))).rejects.toMatchObject(refused);
  const fetch = jest.fn(() => Promise.resolve([]));
  await expect(withinBudget(budget, fetch)).rejects.toMatchObject(refused);
  expect(fetch).not.toHaveBeenCalled();
});

test('reads that are asked for together come one after the other, and a failed one does not hold up the next', async () => {
  const budget = createAnswerBudget();
  const events: string[] = [];
  const read = (name: string) =>
    withinBudget(budget, async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      events.push(`${name} ends`);
      if (name === 'b') throw new Error('the database is away');
      return [];
    });
  await Promise.allSettled(['a', 'b', 'c'].map(read));
  expect(events).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('a large request waits once for its turn, and a usual one never', async () => {
  let turns = 0;
  const becomesLarge = () => Promise.resolve(void (turns += 1));
  const budget = createAnswerBudget({ becomesLarge });
  const read = (rows: number) =>
    budget.read(
      () => Promise.resolve(rows),
      () => ({ rows, bytes: 1 }),
    );
  await read(2_000);
  expect(turns).toBe(0);
  await read(1);
  await read(1);
  expect(turns).toBe(1);
  const long = createAnswerBudget({ becomesLarge });
  await withinBudget(
    long,
    () => Promise.resolve([{ text: 'x'.repeat(2 * 1_024 * 1_024 + 1) }]),
    ({ text }) => text.length,
  );
  expect(turns).toBe(2);
});

test('nothing more is read for a client that has gone', async () => {
  const gone = new AbortController();
  const budget = createAnswerBudget({ signal: gone.signal });
  const fetch = jest.fn(() => Promise.resolve([{ id: 'a' }]));
  await withinBudget(budget, fetch);
  gone.abort();
  await expect(withinBudget(budget, fetch)).rejects.toThrow();
  expect(fetch).toHaveBeenCalledTimes(1);
});
