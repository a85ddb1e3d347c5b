// Turns: pieces of work that wait in lanes, so many at once, a bounded queue and a bounded wait.
import { setTimeout as pause } from 'node:timers/promises';
import { createLimiter, currentLane, inLane, Turns, type LimiterBounds } from '../../src/platform/turns.ts';
import { ids, nextTurn, settled } from '../support/memoryStore.ts';
import { passMillis, stopClock, waitingTimers } from '../support/stoppedClock.ts';

stopClock();

describe('what waits', () => {
  /** Waiting items, each written as its lane and a number: `a1`. */
  const filled = (...items: string[]): Turns<string> => {
    const turns = new Turns<string>();
    for (const item of items) turns.add(item[0]!, item);
    return turns;
  };
  const all = (turns: Turns<string>): string[] => {
    const taken: string[] = [];
    for (let next = turns.next(); next; next = turns.next()) taken.push(next.item);
    return taken;
  };

  test('is taken in turns of its lanes, and in a lane in order of arrival', () => {
    const turns = filled('a1', 'a2', 'a3', 'b1', 'c1', 'c2');
    expect(turns.length).toBe(6);
    expect(all(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
    expect([turns.length, turns.next()]).toEqual([0, undefined]);
  });

  test('of a lane comes behind the other lanes when one of it has been taken', () => {
    const turns = filled('a1', 'a2', 'b1');
    expect(turns.next()).toEqual({ lane: 'a', item: 'a1' });
    turns.add('c', 'c1');
    expect(all(turns)).toEqual(['b1', 'a2', 'c1']);
  });

  test('of a lane that may not begin is passed over, and keeps its turn', () => {
    const turns = filled('a1', 'a2', 'b1', 'b2');
    expect(turns.next((lane) => lane !== 'a')?.item).toBe('b1');
    expect(turns.next(() => false)).toBeUndefined();
    expect(all(turns)).toEqual(['a1', 'b2', 'a2']);
  });

  test('can be removed once', () => {
    const turns = filled('a1', 'a2', 'b1');
    expect([turns.remove('a', 'a1'), turns.remove('a', 'a1'), turns.remove('c', 'a2')]).toEqual([true, false, false]);
    expect(turns.remove('b', 'b1')).toBe(true);
    expect(turns.length).toBe(1);
    expect(all(turns)).toEqual(['a2']);
  });

  test('gives way to a lane with at least two fewer: the latest of the lane with most', () => {
    const turns = filled('a1', 'a2', 'b1', 'b2', 'b3');
    expect(['a', 'b', 'c'].map((lane) => turns.mayPushOut(lane))).toEqual([false, false, true]);
    expect(turns.pushOut()).toBe('b3');
    expect(turns.length).toBe(4);
    expect(all(turns)).toEqual(['a1', 'b1', 'a2', 'b2']);
    expect([turns.mayPushOut('c'), turns.pushOut()]).toEqual([false, undefined]);
  });
});

/** A limiter of pieces of work that the test ends, each written as its lane and a number. */
function limited(bounds: Partial<LimiterBounds> = {}) {
  const inTurn = createLimiter({ atOnce: 1, longestQueue: 1_000, refusal: () => new Error('refused'), ...bounds });
  const begun: string[] = [];
  const ends = new Map<string, (outcome: Promise<string>) => void>();
  const send = (...pieces: string[]): Promise<string>[] =>
    pieces.map((piece) => {
      const work = () => new Promise<string>((resolve) => (begun.push(piece), ends.set(piece, resolve)));
      return inTurn(work, piece[0]);
    });
  const end = async (piece: string, outcome = Promise.resolve('done')): Promise<void> => {
    ends.get(piece)!(outcome);
    await nextTurn();
  };
  /** Ends what has begun, in its order, until nothing is left. */
  const endAll = async (): Promise<void> => {
    for (let at = 0; at < begun.length; at++) await end(begun[at]!);
  };
  return { inTurn, begun, send, end, endAll };
}

test('so many run at once, and the end of each lets the next one begin', async () => {
  const { begun, send, end, endAll } = limited({ atOnce: 2 });
  const sent = send('a1', 'a2', 'a3', 'a4');
  expect(begun).toEqual(['a1', 'a2']);
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  await endAll();
  expect(await Promise.all(sent)).toEqual(Array(4).fill('done'));
});

test('a lane with a hundred that wait holds no other lane up', async () => {
  const { begun, send, end, endAll } = limited();
  const sent = send(...ids(101).map((id) => `a${id}`), 'b1');
  await end('au0');
  await end('au1');
  expect(begun).toEqual(['au0', 'au1', 'b1']);
  await endAll();
  expect(await Promise.all(sent)).toHaveLength(102);
});

test('so many of one lane run at once, and the other places are for others', async () => {
  const { begun, send, end, endAll } = limited({ atOnce: 3, ofOneLane: 2 });
  const sent = send('a1', 'a2', 'a3', 'a4');
  expect(begun).toEqual(['a1', 'a2']);
  sent.push(...send('b1', 'b2'));
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  await end('b2');
  expect(begun).toHaveLength(4);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'a3']);
  await endAll();
  expect(await Promise.all(sent)).toEqual(Array(6).fill('done'));
});

describe('a full queue', () => {
  test('refuses one more of the lane that fills it, before its work begins', async () => {
    const { begun, send, endAll } = limited({ longestQueue: 2 });
    const sent = send('a1', 'a2', 'a3');
    expect(await settled(send('a4', 'a5'))).toEqual(['refused', 'refused']);
    await endAll();
    expect([begun, await Promise.all(sent)]).toEqual([
      ['a1', 'a2', 'a3'],
      ['done', 'done', 'done'],
    ]);
  });

  test('refuses the latest of the lane with most for one of another lane', async () => {
    const { begun, send, endAll } = limited({ longestQueue: 4 });
    const sent = send('a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2');
    // Two of each lane wait now: neither takes a place of the other. A third lane takes one, and no second one.
    sent.push(...send('b3', 'a6', 'c1', 'c2'));
    const outcomes = settled(sent);
    await endAll();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'b2']);
    const [ofA, ofB] = [
      ['done', 'done', 'refused', 'refused', 'refused'],
      ['done', 'done'],
    ];
    expect(await outcomes).toEqual([...ofA, ...ofB, 'refused', 'refused', 'done', 'refused']);
  });

  test('of nothing refuses all that cannot begin at once', async () => {
    const { send, endAll } = limited({ longestQueue: 0 });
    const sent = send('a1');
    expect(await settled(send('a2', 'b1'))).toEqual(['refused', 'refused']);
    await endAll();
    expect(await Promise.all(sent)).toEqual(['done']);
  });
});

describe('patience', () => {
  test('ends the wait, and the next one still gets its turn', async () => {
    const { inTurn, begun, send, end, endAll } = limited({ patienceMillis: 40 });
    const sent = settled(send('a1', 'a2'));
    await passMillis(39);
    const later = send('a3');
    await passMillis(1);
    await end('a1');
    expect(begun).toEqual(['a1', 'a3']);
    await endAll();
    expect(await sent).toEqual(['done', 'refused']);
    expect(await Promise.all(later)).toEqual(['done']);
    expect(await inTurn(async () => 'free')).toBe('free');
  });

  test('takes nobody along that came later, and nobody that has begun', async () => {
    const { begun, send, end, endAll } = limited({ patienceMillis: 40 });
    const sent: Promise<unknown>[] = [];
    for (const piece of ['a1', 'a2', 'a3', 'a4']) {
      sent.push(...send(piece).map((each) => settled([each])));
      await passMillis(10);
    }
    // Now is 40 ms: the second piece has waited since 10 ms, the third since 20 ms.
    await passMillis(15);
    await end('a1');
    await passMillis(20);
    expect(begun).toEqual(['a1', 'a3']);
    await endAll();
    // At 75 ms the fourth has waited for 45 ms.
    expect(await Promise.all(sent)).toEqual([['done'], ['refused'], ['done'], ['refused']]);
  });

  test('leaves no timer behind of whoever has begun or was pushed out', async () => {
    const { send, endAll } = limited({ longestQueue: 2, patienceMillis: 40 });
    const sent = settled(send('a1', 'a2', 'a3', 'b1'));
    expect(waitingTimers()).toBe(2);
    await endAll();
    expect(waitingTimers()).toBe(0);
    expect(await sent).toEqual(['done', 'done', 'refused', 'done']);
  });
});

test('work that fails frees its place, also where it throws at once', async () => {
  const { inTurn, send, end, begun, endAll } = limited();
  const failed = settled(send('a1'));
  const next = send('a2');
  await end('a1', Promise.reject(new Error('broken')));
  expect(await failed).toEqual(['broken']);
  expect(begun).toEqual(['a1', 'a2']);
  await endAll();
  await Promise.all(next);
  const broken = inTurn(() => {
    throw new Error('at once');
  });
  expect(await settled([broken])).toEqual(['at once']);
  expect(await inTurn(async () => 'free')).toBe('free');
});

describe('the lane of a request', () => {
  test('is that of all work that it begins, across awaits', async () => {
    const lane = () => pause(0).then(() => nextTurn().then(currentLane));
    const lanes = Promise.all([inLane('a', lane), inLane('b', () => inLane('c', lane)), lane()]);
    await passMillis(1);
    expect(await lanes).toEqual(['a', 'c', '']);
    expect(currentLane()).toBe('');
  });

  test('is where its work waits, and it keeps it in a turn that the end of other work gave', async () => {
    const { inTurn } = limited();
    const begun: string[] = [];
    const ends: (() => void)[] = [];
    const ask = (name: string, lane: string): Promise<void> => {
      const work = () => {
        begun.push(`${name} in ${currentLane()}`);
        return new Promise<void>((resolve) => ends.push(resolve));
      };
      return inLane(lane, () => inTurn(work));
    };
    const sent = [ask('first', 'a'), ask('second', 'a'), ask('third', 'a'), ask('fourth', 'b')];
    for (let at = 0; at < sent.length; at++) {
      ends[at]!();
      await nextTurn();
    }
    expect(begun).toEqual(['first in a', 'second in a', 'fourth in b', 'third in a']);
    await Promise.all(sent);
  });
});
