// What bodies of one kind share: turns to be read, one at a time, and a queue for them that ends.
import { createBodyShare } from '../../src/http/requestKinds.ts';
import { gate } from '../support/memoryStore.ts';

test('behind 200 bodies that wait to be read the next one is refused, and those are not', async () => {
  const { inTurn } = createBodyShare(1);
  const { hold, open } = gate();
  const bodies = Array.from({ length: 201 }, () => inTurn(() => hold.then(() => 'read')));
  const next = inTurn(async () => 'read').catch(({ code }: { code: string }) => code);
  open();
  expect([new Set(await Promise.all(bodies)), await next]).toEqual([new Set(['read']), 'unavailable']);
});
