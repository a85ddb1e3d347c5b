// The memory that bodies share: which request must leave when it is full, and that the memory is released.
import { BodyBudget } from '../../src/http/bodyBudget.ts';
import type { AppError } from '../../src/platform/errors.ts';

function fill(limit: number) {
  const budget = new BodyBudget(limit);
  const refused: string[] = [];
  const enter = (name: string) => budget.enter(({ code }: AppError) => void refused.push(`${name}: ${code}`));
  return { budget, refused, enter };
}

test('the body that has been on its way longest makes room, once', () => {
  const { refused, enter } = fill(100);
  const [old, young] = [enter('old'), enter('young')];
  old.grow(60);
  young.grow(40);
  expect(refused).toEqual([]);
  young.grow(1);
  expect(refused).toEqual(['old: unavailable']);
  old.leave();
  young.grow(59);
  expect(refused).toEqual(['old: unavailable']);
});

test('bodies that have not begun make no room, however old they are, and as many go as have to', () => {
  const { refused, enter } = fill(100);
  enter('not begun');
  for (const name of ['one', 'two', 'three']) enter(name).grow(30);
  enter('last').grow(65);
  expect(refused).toEqual(['one: unavailable', 'two: unavailable']);
});

test('a body that has come whole is kept until its request is over, and nothing else is refused for it', () => {
  const { refused, enter } = fill(100);
  const whole = enter('whole');
  whole.grow(90);
  whole.complete();
  const next = enter('next');
  next.grow(20);
  expect(refused).toEqual(['next: unavailable']);
  whole.leave();
  whole.leave();
  enter('later').grow(100);
  expect(refused).toEqual(['next: unavailable']);
});

test('what has come whole is told until its request is over', () => {
  const { budget, enter } = fill(100);
  const [whole, halfSent] = [enter('whole'), enter('half sent')];
  whole.grow(60);
  halfSent.grow(30);
  expect(budget.whole).toEqual({ bodies: 0, bytes: 0 });
  whole.complete();
  expect(budget.whole).toEqual({ bodies: 1, bytes: 60 });
  halfSent.leave();
  expect(budget.whole).toEqual({ bodies: 1, bytes: 60 });
  whole.leave();
  whole.leave();
  expect(budget.whole).toEqual({ bodies: 0, bytes: 0 });
});
