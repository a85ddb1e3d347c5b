// The slots of webhooks' jobs: slow organizations share a part of them, and come back once they are no longer slow.
import { setTimeout as pause } from 'node:timers/promises';
import { createDeliverySlots } from '../../src/webhooks/deliverySlots.ts';
import { moveClock } from '../support/movedClock.ts';

test('four jobs run at once, whoever they are of', () => {
  const slots = createDeliverySlots();
  expect(['a', 'a', 'b', 'c', 'd'].map((id) => slots.take(id))).toEqual([true, true, true, true, false]);
  slots.give('b', false);
  expect(slots.take('d')).toBe(true);
});

test('slow organizations have two slots together', () => {
  const slots = createDeliverySlots();
  for (const id of ['a', 'b', 'c']) {
    expect(slots.take(id)).toBe(true);
    slots.give(id, true);
  }
  expect(['a', 'b', 'c', 'a', 'x', 'y', 'z'].map((id) => slots.take(id))).toEqual(
    ['yes', 'yes', 'no', 'no', 'yes', 'yes', 'no'].map((word) => word === 'yes'),
  );
  slots.give('a', false);
  expect([slots.isSlow('a'), slots.take('c')]).toEqual([true, true]);
});

test('an organization is slow for as long as it is remembered', async () => {
  const slots = createDeliverySlots({ slots: 1, ofSlow: 0, rememberedMillis: 600_000 });
  expect(slots.take('a')).toBe(true);
  slots.give('a', true);
  moveClock(590_000);
  expect(slots.take('a')).toBe(false);
  moveClock(10_000);
  // The memory reads the clock once a millisecond.
  await pause(10);
  expect(slots.take('a')).toBe(true);
});
