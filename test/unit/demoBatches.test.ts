// Batches of the reference SDK: nothing lost, nothing twice, within the limits, and halved down to one event.
import { cutIntoBatches, halve } from '../tools/demo/sdk/batches.ts';
import type { Session } from '../tools/demo/sdk/wire.ts';

const date = '2026-11-21T10:00:00+01:00';

function session(id: string, eventCount: number): Session {
  const events = Array.from({ length: eventCount }, (_, index) => {
    return { id: `${id}-${index}`, name: 'Tapped', type: 'custom' as const, timestamp: 0, date, params: [] };
  });
  return { id, number: { global: 1, version: 1 }, startDate: date, finishDate: null, events };
}

const shape = (batch: Session[]): string[] => batch.map(({ id, events }) => `${id}:${events?.length}`);

describe('cutIntoBatches', () => {
  const cut = (sessions: Session[], sessionsPerUpload: number, eventsPerUpload: number): string[][] =>
    cutIntoBatches(sessions, { sessionsPerUpload, eventsPerUpload }).map(shape);

  test('fills a batch with sessions and with events', () => {
    expect(cut([session('a', 3), session('b', 2), session('c', 1)], 2, 10)).toEqual([['a:3', 'b:2'], ['c:1']]);
    expect(cut([session('a', 3), session('b', 2)], 10, 4)).toEqual([['a:3', 'b:1'], ['b:1']]);
  });

  test('sends a session without events, because its end is news as well', () => {
    expect(cut([session('a', 0)], 10, 10)).toEqual([['a:0']]);
  });

  test('keeps every event once, and the session fields in every part', () => {
    const batches = cutIntoBatches([session('a', 25)], { sessionsPerUpload: 10, eventsPerUpload: 10 });
    expect(batches.map(shape)).toEqual([['a:10'], ['a:10'], ['a:5']]);
    expect(new Set(batches.flat().flatMap(({ events }) => events?.map(({ id }) => id))).size).toBe(25);
    expect(batches.flat().every(({ startDate, number }) => startDate === date && number.global === 1)).toBe(true);
  });

  test('has nothing to cut', () => expect(cut([], 10, 10)).toEqual([]));
});

describe('halve', () => {
  const halves = (batch: Session[]): string[][] | null => halve(batch)?.map(shape) ?? null;

  test('cuts by sessions while there are several', () => {
    expect(halves([session('a', 9), session('b', 1), session('c', 1)])).toEqual([['a:9'], ['b:1', 'c:1']]);
  });

  test('then cuts the events of the one session', () => {
    expect(halves([session('a', 5)])).toEqual([['a:2'], ['a:3']]);
  });

  test('ends at one event', () => {
    expect(halves([session('a', 1)])).toBeNull();
    expect(halves([session('a', 0)])).toBeNull();
    expect(halves([])).toBeNull();
  });
});
