// What bodies of one kind share: turns to be inflated, and a queue for them that ends.
import { createBodyShare } from '../../src/http/requestKinds.ts';
import { gate } from '../support/memoryStore.ts';

test('behind 200 bodies that wait to be inflated the next one is refused, and those are not', async () => {
  const { inTurn } = createBodyShare({ room: 1, inflatedAtOnce: 2 });
  const { hold, open } = gate();
  const bodies = Array.from({ length: 202 }, () => inTurn(() => hold.then(() => 'inflated')));
  const next = inTurn(async () => 'inflated').catch(({ code }: { code: string }) => code);
  open();
  expect([new Set(await Promise.all(bodies)), await next]).toEqual([new Set(['inflated']), 'unavailable']);
});
