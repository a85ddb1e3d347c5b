// The reference SDK's clock: corrected from Date, unchanged without one; X-Timestamp never decreases.
import { clockOffset, DeviceClock, isoDate } from '../tools/demo/sdk/deviceClock.ts';
import { nextTimestamp, plausibleTimestamps, withTimestamp } from '../tools/demo/sdk/timestampOrder.ts';

const serverDate = 'Sat, 21 Nov 2026 10:00:00 GMT';
const serverTime = Date.parse(serverDate);

describe('clockOffset', () => {
  test('takes the device time in the middle between sending and receiving', () => {
    expect(clockOffset({ date: serverDate, sentAt: serverTime - 1_000, receivedAt: serverTime + 3_000 })).toBe(-1_000);
  });

  test.each([null, '', '7', '2026-11-21T10:00:00Z', 'Sat, 99 Nov 2026 10:00:00 GMT'])('is null for %j', (date) => {
    expect(clockOffset({ date, sentAt: 0, receivedAt: 0 })).toBeNull();
  });
});

describe('DeviceClock', () => {
  const tenYears = 3_653 * 86_400_000;
  const deviceNow = serverTime + tenYears;

  test('heals a clock that is ten years fast', () => {
    const state = { clockOffsetMillis: 0, clockKnown: false };
    const clock = new DeviceClock({ now: () => deviceNow, warn: () => undefined }, state);
    expect(clock.correct({ date: serverDate, sentAt: deviceNow, receivedAt: deviceNow })).toBe(true);
    expect(clock.now()).toBe(serverTime);
    expect(state.clockOffsetMillis).toBe(-tenYears);
  });

  test('keeps its offset until a new one differs by more than two seconds', () => {
    const state = { clockOffsetMillis: 0, clockKnown: false };
    const clock = new DeviceClock({ now: () => 0, warn: () => undefined }, state);
    const offsets = [2_000, 2_001, 4_001, 1, 0].map((ahead) => {
      const at = serverTime - ahead;
      clock.correct({ date: serverDate, sentAt: at, receivedAt: at });
      return state.clockOffsetMillis;
    });
    expect(offsets).toEqual([0, 2_001, 2_001, 2_001, 0]);
    expect(state.clockKnown).toBe(true);
  });

  test('warns and keeps the old offset when Date is missing or unreadable', () => {
    const warnings: string[] = [];
    const state = { clockOffsetMillis: 5, clockKnown: false };
    const clock = new DeviceClock({ now: () => 0, warn: (text) => warnings.push(text) }, state);
    expect(clock.correct({ date: null, sentAt: 0, receivedAt: 0 })).toBe(false);
    expect(clock.correct({ date: 'noon', sentAt: 0, receivedAt: 0 })).toBe(false);
    expect(clock.now()).toBe(5);
    expect(warnings).toHaveLength(2);
  });
});

describe('X-Timestamp', () => {
  const now = 1_789_000_000;

  test('is the corrected clock in whole seconds', () => {
    expect(nextTimestamp(now + 0.9, [])).toBe(now);
    expect(nextTimestamp(now, [now - 1])).toBe(now);
    expect(nextTimestamp(-5, [])).toBe(0);
  });

  test('does not go back when the clock does', () => {
    const afterCorrection = plausibleTimestamps(withTimestamp([], now + 240), now);
    expect(nextTimestamp(now, afterCorrection)).toBe(now + 240);
  });

  test('forgets a time that the server cannot have taken, and only that', () => {
    const sent = withTimestamp(withTimestamp([now + 40], now + 380), now + 380);
    expect(sent).toEqual([now + 40, now + 380]);
    expect(plausibleTimestamps(sent, now)).toEqual([now + 40]);
    expect(plausibleTimestamps([now + 380], now)).toEqual([]);
  });
});

test('isoDate carries the offset from UTC', () => {
  expect(isoDate(serverTime, 0)).toBe('2026-11-21T10:00:00.000+00:00');
  expect(isoDate(serverTime, 345)).toBe('2026-11-21T15:45:00.000+05:45');
  expect(isoDate(serverTime, -570)).toBe('2026-11-21T00:30:00.000-09:30');
});
