// Removes one item from a list of items under way, and nothing when the item is absent.
import { takeOut } from '../../src/platform/takeOut.ts';

test('takes out what is given and keeps the order of the rest', () => {
  const [first, second, third] = [{}, {}, {}];
  const list = [first, second, third];
  takeOut(list, second);
  expect(list).toEqual([first, third]);
  expect(list[0]).toBe(first);
  expect(list[1]).toBe(third);
});

test('does nothing where it is not in the list', () => {
  const list = [1, 2];
  takeOut(list, 3);
  takeOut([], 3);
  expect(list).toEqual([1, 2]);
});
