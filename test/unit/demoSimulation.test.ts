// The simulation's own parts: time with its timers, counts of campaigns, and the watch over the paused campaign.
import { count, type CountsByCampaign } from '../tools/demo/simulation/campaignCounts.ts';
import { MidRunPause } from '../tools/demo/simulation/midRunPause.ts';
import { noPauseCounts, PauseWatch } from '../tools/demo/simulation/pauseWatch.ts';
import { SimulatedTime } from '../tools/demo/simulation/simulatedTime.ts';
import type { SessionEvent } from '../tools/demo/sdk/wire.ts';

describe('SimulatedTime', () => {
  test('runs timers in their order, each at its own moment, those too that a timer starts', () => {
    const time = new SimulatedTime(0);
    const seen: [string, number][] = [];
    const note = (word: string) => () => void seen.push([word, time.now]);
    time.after(300, note('late'));
    time.after(100, () => {
      note('early')();
      time.after(50, note('inner'));
    });
    const cancel = time.after(200, note('cancelled'));
    cancel();
    time.advance(1_000);
    expect(seen).toEqual([
      ['early', 100],
      ['inner', 150],
      ['late', 300],
    ]);
    expect(time.now).toBe(1_000);
  });

  test('does not go back, and has no timers after the process', () => {
    const time = new SimulatedTime(500);
    let ran = false;
    time.after(1, () => void (ran = true));
    time.stopTimers();
    time.advanceTo(400);
    time.advance(10);
    expect([time.now, ran]).toEqual([510, false]);
  });
});

function event(name: string, params: Record<string, string> = {}, type: 'system' | 'custom' = 'system'): SessionEvent {
  const named = Object.entries(params).map(([key, value]) => ({ name: key, value }));
  return { id: 'e', name, type, timestamp: 0, date: '', params: named };
}

test('outcomes are counted by campaign in the words of the admin API, and nothing else is', () => {
  const counts: CountsByCampaign = new Map();
  count(counts, event('CampaignShown', { campaignId: 'a', source: 'x' }));
  count(counts, event('CampaignResolved', { campaignId: 'a', result: 'Unavailable', unavailableReason: 'TimedOut' }));
  count(counts, event('CampaignResolved', { campaignId: 'b', result: 'SkippedNoContinuation' }));
  count(counts, event('CampaignResolved', { campaignId: 'b', result: 'Unknown' }));
  count(counts, event('AppOpened', { campaignId: 'c' }));
  expect([...counts.keys()]).toEqual(['a', 'b']);
  expect(counts.get('a')).toMatchObject({ shown: 1, unavailable: 1, timedOut: 1, completed: 0 });
  expect(Object.values(counts.get('b')!).filter((value) => value > 0)).toEqual([1]);
});

describe('the pause in mid-run', () => {
  const opened = event('AppOpened', {}, 'custom');
  const shown = event('CampaignShown', { campaignId: 'a' });
  const newPause = (pause: () => Promise<void>) =>
    new MidRunPause({ campaignId: 'a', event: 'AppOpened', devices: 2, pause });

  test('comes once, when half is lived, and flushes wait for it', async () => {
    let calls = 0;
    let inForce = () => {};
    const pause = newPause(() => new Promise((resolve) => ((calls += 1), (inForce = resolve))));
    pause.noteLived(0.9);
    await pause.pass();
    expect([calls, pause.isInForce]).toEqual([0, false]);
    pause.noteLived(0.2);
    pause.noteLived(0.5);
    const passing = pause.pass().then(() => pause.isInForce);
    inForce();
    expect([await passing, calls]).toEqual([true, 1]);
  });

  test('that fails is told to whoever passes', async () => {
    const pause = newPause(() => Promise.reject(new Error('refused')));
    pause.noteLived(1);
    await expect(pause.pass()).rejects.toThrow('refused');
  });

  test('divides shows by it and by the first flush that began in its force', async () => {
    const pause = newPause(() => Promise.resolve());
    const counts = noPauseCounts();
    const watch = new PauseWatch(pause, counts);
    const begunBefore = performance.now();
    watch.noteEvent(shown);
    pause.noteLived(2);
    await pause.pass();
    watch.noteFlush(begunBefore);
    watch.noteEvent(opened);
    watch.noteEvent(shown);
    watch.noteFlush(performance.now());
    for (const each of [opened, event('CampaignShown', { campaignId: 'b' }), opened, shown]) watch.noteEvent(each);
    expect(counts).toEqual({ before: 1, late: 1, violations: 1, chances: 2 });
  });
});
