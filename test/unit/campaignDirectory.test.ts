// The campaigns in memory, when the database responds late, not at all, or with a change in between.
import { jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createCampaignDirectory } from '../../src/campaigns/campaignDirectory.ts';
import type { StoredCampaign } from '../../src/campaigns/campaignRecord.ts';
import { aCampaign, deliveredIn } from '../support/campaigns.ts';

const now = new Date('2026-09-10T12:00:00Z');
const application = randomUUID();

function campaign(name: string): StoredCampaign {
  const ids = { id: randomUUID(), applicationId: application };
  return {
    ...aCampaign({ name }),
    ...ids,
    version: 1,
    createdAt: now,
    updatedAt: now,
    createdBy: null,
    updatedBy: null,
  };
}

/** Reads that the test completes one by one. */
function directory({ live = true } = {}) {
  const readings: { answer: (name: string) => void; fail: () => void }[] = [];
  const handlers = { notify: (_: string) => {}, listening: () => {} };
  const campaigns = createCampaignDirectory({
    read: () =>
      new Promise((resolve, reject) =>
        readings.push({ answer: (name) => resolve([campaign(name)]), fail: () => reject(new Error('away')) }),
      ),
    subscribe({ onNotification, onListening }) {
      Object.assign(handlers, { notify: onNotification, listening: onListening });
      return { live: () => live, stop: () => Promise.resolve() };
    },
  });
  const name = () => campaigns.find(application, now).then((config) => deliveredIn(config)[0]!.name);
  return { campaigns, readings, handlers, name };
}

test('what is asked at once is read once, and then remembered', async () => {
  const { readings, name } = directory();
  const answers = Promise.all([name(), name(), name()]);
  readings[0]!.answer('one');
  expect(await answers).toEqual(['one', 'one', 'one']);
  expect(await name()).toBe('one');
  expect(readings.length).toBe(1);
});

test.each(['a notification', 'a new connection', 'a change of our own'])(
  'after %s during a reading, its result answers those who waited and nobody else',
  async (event) => {
    const { campaigns, readings, handlers, name } = directory();
    const early = name();
    if (event === 'a notification') handlers.notify(application);
    else if (event === 'a new connection') handlers.listening();
    else campaigns.forget(application);
    const late = name();
    readings[1]!.answer('new');
    expect(await late).toBe('new');
    readings[0]!.answer('old');
    expect(await early).toBe('old');
    expect(await name()).toBe('new');
    expect(readings.length).toBe(2);
  },
);

test('a reading that was forgotten for others while it was under way is not remembered', async () => {
  const { campaigns, readings, handlers, name } = directory();
  const early = name();
  for (let others = 0; others < 5_001; others++) void campaigns.find(randomUUID(), now);
  handlers.notify(application);
  readings[0]!.answer('old');
  expect(await early).toBe('old');
  const late = name();
  readings.at(-1)!.answer('new');
  expect(await late).toBe('new');
});

test('without notifications, a reading that began more than a second ago answers nobody who comes now', async () => {
  jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
  const { readings, name } = directory({ live: false });
  const early = name();
  jest.advanceTimersByTime(900);
  const shared = name();
  jest.advanceTimersByTime(200);
  const late = name();
  readings[1]!.answer('new');
  expect(await late).toBe('new');
  readings[0]!.answer('old');
  expect(await Promise.all([early, shared])).toEqual(['old', 'old']);
  expect(await name()).toBe('new');
  expect(readings.length).toBe(2);
  jest.useRealTimers();
});

test('a change of another application asks for nothing', async () => {
  const { readings, handlers, name } = directory();
  const first = name();
  readings[0]!.answer('one');
  await first;
  handlers.notify(randomUUID());
  handlers.notify('not an id');
  expect(await name()).toBe('one');
});

test('a failed reading is not remembered', async () => {
  const { readings, name } = directory();
  const failed = name();
  readings[0]!.fail();
  await expect(failed).rejects.toThrow('away');
  const second = name();
  readings[1]!.answer('one');
  expect(await second).toBe('one');
});

test('a revision does not wait long for a reading, and falls back on the last known', async () => {
  const { campaigns, readings, name } = directory();
  const none = campaigns.findRevision(application, now);
  readings[0]!.fail();
  await expect(none).rejects.toThrow('away');
  const first = campaigns.findRevision(application, now);
  readings[1]!.answer('one');
  const known = await first;
  campaigns.forget(application);
  const startedAt = performance.now();
  expect(await campaigns.findRevision(application, now)).toBe(known);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
  const failing = campaigns.findRevision(application, now);
  readings[2]!.fail();
  expect(await failing).toBe(known);
  const current = name();
  readings[3]!.answer('two');
  expect(await current).toBe('two');
  expect(await campaigns.findRevision(application, now)).not.toBe(known);
});

test('a reading that a change has overtaken is not remembered, also where nobody has read since', async () => {
  const { readings, handlers, name } = directory();
  const early = name();
  handlers.notify(application);
  readings[0]!.answer('old');
  expect(await early).toBe('old');
  const late = name();
  expect(readings.length).toBe(2);
  readings[1]!.answer('new');
  expect(await late).toBe('new');
});

test('an overtaken reading that ends leaves the later one to be shared by all who come', async () => {
  const { readings, handlers, name } = directory();
  const early = name();
  handlers.notify(application);
  const late = name();
  readings[0]!.answer('old');
  expect(await early).toBe('old');
  const later = name();
  expect(readings.length).toBe(2);
  readings[1]!.answer('new');
  expect(await Promise.all([late, later])).toEqual(['new', 'new']);
});

test('more than there is room for is remembered all the same, and not read for every request', async () => {
  const { readings, name } = directory();
  const long = 'x'.repeat(33 * 1024 * 1024);
  const first = name();
  readings[0]!.answer(long);
  expect((await first).length).toBe(long.length);
  expect((await name()).length).toBe(long.length);
  expect(readings.length).toBe(1);
});

test('campaigns are written down once for each reading, however many of them start one after the other', async () => {
  let written = 0;
  const payload = { toJSON: () => `text ${(written += 1)}` };
  const instants = Array.from({ length: 50 }, (_, index) => new Date(now.getTime() + index * 20));
  const scheduled = instants.map((startAt) => ({
    ...campaign('starts'),
    ...aCampaign({ state: 'SCHEDULED', startAt, action: { type: 'message', payload } }),
  }));
  const campaigns = createCampaignDirectory({
    read: () => Promise.resolve(scheduled),
    subscribe: () => ({ live: () => true, stop: () => Promise.resolve() }),
  });
  const revisions = [await campaigns.findRevision(application, instants[0]!)];
  const once = written;
  for (const instant of instants.slice(1)) revisions.push(await campaigns.findRevision(application, instant));
  expect(written).toBe(once);
  expect(new Set(revisions).size).toBe(instants.length);
});
