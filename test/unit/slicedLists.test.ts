// Pauses in the completion of long lists: before each item, in the order of the list, with faults where they belong.
import type { GraphQLServerContext } from '@apollo/server';
import { buildSchema, execute, parse } from 'graphql';
import { slicedLists } from '../../src/graphql/slicedLists.ts';

const schema = buildSchema('type Query { rows: [Row]! } type Row { at: Int! below: [Row!]! }');
const rows = (count: number) => Array.from({ length: count }, (_, at) => ({ at, below: [{ at, below: [] }] }));
const document = parse('{ rows { at below { at } } }');

beforeAll(async () => {
  await slicedLists().serverWillStart!({ schema } as GraphQLServerContext);
});

async function run(list: unknown, pause: () => Promise<void> | undefined) {
  return execute({ schema, document, rootValue: { rows: list }, contextValue: { pause } });
}

test('other work runs between the slices of a long list, and the response is that of an unsliced one', async () => {
  let [pieces, turns] = [0, 0];
  const pause = (): Promise<void> | undefined => {
    pieces += 1;
    if (pieces % 100 > 0) return undefined;
    return new Promise((resolve) => {
      setImmediate(() => {
        turns += 1;
        resolve();
      });
    });
  };
  const { data, errors } = await run(rows(2_000), pause);
  expect(errors).toBeUndefined();
  expect(JSON.parse(JSON.stringify(data))).toEqual({ rows: rows(2_000).map(({ at }) => ({ at, below: [{ at }] })) });
  expect(pieces).toBeGreaterThanOrEqual(2_000);
  expect(turns).toBeGreaterThanOrEqual(20);
});

test('a list that is a promise, a short one and a null', async () => {
  const never = () => undefined;
  const list = [{ at: 1, below: [] }, null];
  const whole = { rows: list };
  expect(JSON.stringify((await run(Promise.resolve(list), never)).data)).toBe(JSON.stringify(whole));
  expect(JSON.stringify((await run(list, never)).data)).toBe(JSON.stringify(whole));
});

test('a fault of one item is at its place', async () => {
  const list: unknown[] = rows(100);
  list[70] = new Error('broken');
  const { data, errors } = await run(list, () => undefined);
  expect(errors!.map(({ path }) => path)).toEqual([['rows', 70]]);
  expect((data!['rows'] as unknown[])[70]).toBeNull();
});
