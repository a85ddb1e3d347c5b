// Taking one out of a list of what is under way: that one, and nothing where it is not there.
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
