// The reference SDK must show, perform and resolve a triggered campaign exactly once.
import type { Presenter } from '../tools/demo/sdk/campaigns/presentation.ts';
import { deliveredCampaign, startSdk, type SdkRig } from '../support/sdkRig.ts';

const blocking = { type: 'paywall', payload: { template: 'a' }, blocking: true, deadlineSeconds: 30 };

async function withPresenter(paywall: Presenter | null, action = blocking): Promise<SdkRig & { done: string[] }> {
  const rig = startSdk(paywall ? { paywall } : {}, [deliveredCampaign('a', { action })]);
  rig.client.launch();
  await rig.client.fetchConfiguration();
  return Object.assign(rig, { done: [] as string[] });
}

const track = (rig: SdkRig & { done: string[] }, word = 'done') =>
  rig.client.track('Opened', {}, () => void rig.done.push(word));

test.each(['Completed', 'Dismissed'] as const)(
  '%s when the presenter says so, then the app goes on',
  async (result) => {
    const rig = await withPresenter((action, done) => {
      expect(action.payload).toEqual({ template: 'a' });
      rig.time.after(5_000, () => done(result));
    });
    track(rig);
    expect([rig.recorded('CampaignShown'), rig.done]).toEqual([[{ source: 'Opened', campaignId: 'a' }], []]);
    rig.time.advance(5_000);
    expect(rig.recorded('CampaignResolved')).toEqual([{ campaignId: 'a', result }]);
    rig.time.advance(60_000);
    expect([rig.recorded('CampaignResolved').length, rig.done]).toEqual([1, ['done']]);
  },
);

test.each<[string, Presenter]>([
  ['TimedOut', () => undefined],
  ['PresenterReported', (_, done) => done('Unavailable')],
  [
    'PresenterFailed',
    () => {
      throw new Error('no screen');
    },
  ],
])('Unavailable with %s', async (unavailableReason, presenter) => {
  const rig = await withPresenter(presenter);
  track(rig);
  rig.time.advance(30_000);
  expect(rig.recorded('CampaignResolved')).toEqual([{ campaignId: 'a', result: 'Unavailable', unavailableReason }]);
  expect(rig.done).toEqual(['done']);
});

test('a word that comes after the deadline, or twice, changes nothing', async () => {
  const rig = await withPresenter((_, done) => {
    rig.time.after(31_000, () => done('Completed'));
    rig.time.after(32_000, () => done('Completed'));
  });
  track(rig);
  rig.time.advance(60_000);
  expect(rig.recorded('CampaignResolved')).toMatchObject([{ unavailableReason: 'TimedOut' }]);
});

test('without a presenter, or with nobody who waits, it is shown, skipped and the app goes on at once', async () => {
  const noPresenter = await withPresenter(null);
  track(noPresenter);
  expect(noPresenter.recorded('CampaignResolved')).toEqual([{ campaignId: 'a', result: 'SkippedNoPresenter' }]);
  expect([noPresenter.recorded('CampaignShown').length, noPresenter.done]).toEqual([1, ['done']]);
  const noContinuation = await withPresenter(() => undefined);
  noContinuation.client.track('Opened');
  expect(noContinuation.recorded('CampaignResolved')).toEqual([{ campaignId: 'a', result: 'SkippedNoContinuation' }]);
});

test('while one is unresolved no other blocking one passes; afterwards it does', async () => {
  const rig = await withPresenter((_, done) => void rig.time.after(5_000, () => done('Completed')));
  track(rig, 'first');
  track(rig, 'second');
  expect([rig.recorded('CampaignShown').length, rig.done]).toEqual([1, ['second']]);
  rig.time.advance(5_000);
  track(rig, 'third');
  expect([rig.recorded('CampaignShown').length, rig.done]).toEqual([2, ['second', 'first']]);
});

test('an action that is not blocking is performed and never resolved; what it throws is a warning', async () => {
  const rig = await withPresenter(
    () => {
      throw new Error('no screen');
    },
    { ...blocking, blocking: false },
  );
  track(rig);
  rig.time.advance(60_000);
  expect([rig.recorded('CampaignShown').length, rig.recorded('CampaignResolved')]).toEqual([1, []]);
  expect([rig.done, rig.warnings]).toEqual([['done'], ['the action paywall failed: Error: no screen']]);
});

test('the mirror of a tracked event sets off with the same continuation', async () => {
  const trigger = { event: 'EventTriggered', type: 'SYSTEM' as const, filters: [] };
  const presenter: Presenter = (_, done) => done('Completed');
  const rig = startSdk({ paywall: presenter }, [deliveredCampaign('a', { trigger, action: blocking })]);
  rig.client.launch();
  await rig.client.fetchConfiguration();
  const done: string[] = [];
  rig.client.track('Opened', {}, () => void done.push('once'));
  expect([rig.recorded('CampaignShown'), done]).toEqual([[{ source: 'EventTriggered', campaignId: 'a' }], ['once']]);
});

test('the end of the process leaves it unresolved, and its shows count in the next one', async () => {
  const rig = startSdk({ paywall: () => undefined }, [
    deliveredCampaign('a', {
      action: blocking,
      frequency: { perSession: null, perDay: null, total: 1, cooldownSeconds: null },
    }),
  ]);
  rig.client.launch();
  await rig.client.fetchConfiguration();
  rig.client.track('Opened', {}, () => undefined);
  rig.client.close();
  rig.time.advance(60_000);
  rig.restart().launch();
  rig.client.track('Opened', {}, () => undefined);
  expect([rig.recorded('CampaignShown').length, rig.recorded('CampaignResolved')]).toEqual([1, []]);
  expect(rig.warnings).toEqual([]);
});

test('what is resolved in the background belongs to the session, which does not end before it', async () => {
  const rig = await withPresenter(() => undefined);
  track(rig);
  rig.client.enterBackground();
  rig.time.advance(3_600_000);
  rig.client.enterForeground();
  const [resolved, finished] = ['CampaignResolved', 'SessionFinished'].map(
    (name) => rig.events.find((event) => event.name === name)!.timestamp,
  );
  expect(finished).toBe(resolved);
});
