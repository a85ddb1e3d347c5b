// The campaign configuration in the reference SDK: when it is fetched, what the request contains, and what follows a failure.
import { deliveredCampaign, startSdk, type SdkRig } from '../support/sdkRig.ts';

const path = '/api/v1/campaigns';
const fetches = ({ server }: SdkRig) => server.to(path);
const minutes = (count: number) => count * 60_000;

async function launched(): Promise<SdkRig> {
  const rig = startSdk({}, [deliveredCampaign('a')]);
  rig.client.launch();
  await rig.client.fetchConfiguration();
  return rig;
}

test('fetches at the start of a session with the facts of the device, between its two events', async () => {
  const rig = await launched();
  expect(Object.fromEntries(fetches(rig)[0]!.query)).toEqual({
    deviceId: 'd-1',
    platform: 'iOS',
    appVersion: '2014003',
    osVersion: '18001000',
    sdkVersion: '5002',
    country: 'DE',
  });
  expect(fetches(rig)[0]!.headers.get('X-Api-Key')).toBe('pub');
  const names = rig.events.map(({ name }) => name);
  expect(names).toEqual(['SessionStarted', 'SdkInitialized', 'ConfigFetchStarted', 'ConfigFetchFinished']);
  expect(rig.recorded('ConfigFetchFinished')).toEqual([
    { campaignCount: 1, success: true, campaigns: '[{"id":"a","name":"Campaign a"}]' },
  ]);
});

test('does not fetch again while there is no reason', async () => {
  const rig = await launched();
  await rig.client.flush();
  rig.time.advance(minutes(14));
  rig.client.track('Opened');
  await rig.client.flush();
  expect(fetches(rig)).toHaveLength(1);
});

test('after nextFetchSeconds it asks with its tag; a 304 keeps the campaigns and starts the time again', async () => {
  const rig = await launched();
  rig.time.advance(minutes(15));
  await rig.client.fetchConfiguration();
  expect(fetches(rig)[1]!.headers.get('If-None-Match')).toMatch(/^"r-1 /);
  expect(rig.recorded('ConfigFetchFinished')[1]).toMatchObject({ success: true, campaignCount: 1 });
  rig.time.advance(minutes(14));
  await rig.client.fetchConfiguration();
  expect(fetches(rig)).toHaveLength(2);
});

test('an upload that is answered with another revision leads to a fetch in the same flush', async () => {
  const rig = await launched();
  rig.server.change('r-2', []);
  expect(await rig.client.flush()).toBe('sent');
  expect(fetches(rig)).toHaveLength(2);
  expect(rig.store.configuration).toMatchObject({ revision: 'r-2', campaigns: [] });
  rig.client.track('Opened');
  expect(rig.recorded('CampaignShown')).toEqual([]);
});

test('a failed fetch keeps what is held and says so; the flush is not done, and the next one fetches again', async () => {
  const rig = await launched();
  rig.server.change('r-2', []);
  rig.server.answer(path, [null, 503, null, 503, null]);
  expect(await rig.client.flush()).toBe('unreachable');
  expect(rig.recorded('ConfigFetchFinished')[1]).toMatchObject({ success: false, campaignCount: 1 });
  expect(rig.store.configuration).toMatchObject({ revision: 'r-1' });
  rig.time.advance(16_000);
  await rig.client.flush();
  expect(rig.store.configuration).toMatchObject({ revision: 'r-2' });
});

test('a fetch ends after five attempts with its two events, and the next flush begins another with two of its own', async () => {
  const rig = startSdk();
  rig.client.launch();
  rig.server.answer(path, Array<number>(5).fill(503));
  expect(await rig.client.fetchConfiguration()).toBe('unreachable');
  expect([fetches(rig).length, rig.recorded('ConfigFetchFinished')]).toMatchObject([5, [{ success: false }]]);
  rig.time.advance(minutes(5));
  expect(await rig.client.flush()).toBe('sent');
  expect(rig.recorded('ConfigFetchFinished')).toMatchObject([{ success: false }, { success: true }]);
  expect(rig.recorded('ConfigFetchStarted')).toHaveLength(2);
});

test.each([404, 415])('after a %i of a fetch nothing is sent until the next start of the app', async (status) => {
  const rig = startSdk();
  rig.client.launch();
  rig.client.reportTransaction('t-1');
  rig.server.answer(path, [status]);
  expect(await rig.client.fetchConfiguration()).toBe('refused');
  expect([await rig.client.flush(), await rig.client.fetchConfiguration()]).toEqual(['refused', 'refused']);
  expect(rig.server.requests).toHaveLength(1);
  expect(rig.recorded('ConfigFetchFinished')).toMatchObject([{ success: false }]);
  rig.restart().launch();
  expect([await rig.client.flush(), rig.acknowledged]).toEqual(['sent', ['sessions', 't-1']]);
});

test('after a 422 of a fetch no fetch begins until the next start of the app, and everything else goes on', async () => {
  const rig = startSdk();
  rig.client.launch();
  rig.server.answer(path, [422]);
  expect(await rig.client.fetchConfiguration()).toBe('held');
  expect(await rig.client.flush()).toBe('held');
  expect([fetches(rig).length, rig.acknowledged]).toEqual([1, ['sessions']]);
  rig.restart().launch();
  expect([await rig.client.flush(), fetches(rig).length]).toEqual(['sent', 2]);
});

test('a fetch under way at the end of its session is applied without an event, and the next session has its own', async () => {
  const rig = startSdk({}, [deliveredCampaign('a')]);
  rig.client.launch();
  const underWay = rig.client.fetchConfiguration();
  rig.client.setUserId('ann');
  const ofTheNext = rig.client.fetchConfiguration();
  await underWay;
  expect(rig.store.configuration!.campaigns).toHaveLength(1);
  await ofTheNext;
  const names = rig.events.map(({ name }) => name).filter((name) => name !== 'SdkInitialized');
  const first = ['SessionStarted', 'ConfigFetchStarted', 'SessionFinished'];
  expect(names).toEqual([...first, 'SessionStarted', 'ConfigFetchStarted', 'ConfigFetchFinished']);
  expect(fetches(rig)).toHaveLength(2);
});

test('a session that begins during a wait records ConfigFetchStarted when the request begins', async () => {
  const rig = await launched();
  rig.server.answer('/api/v1/session', Array<number>(5).fill(503));
  expect(await rig.client.flush()).toBe('unreachable');
  rig.events.length = 0;
  rig.client.setUserId('ann');
  rig.client.track('Opened');
  expect(await rig.client.fetchConfiguration()).toBe('unreachable');
  rig.time.advance(16_000);
  await rig.client.flush();
  const names = rig.events.map(({ name }) => name).filter((name) => name !== 'CampaignShown');
  expect(names.slice(1)).toEqual([
    ...['SessionStarted', 'SdkInitialized', 'Opened', 'EventTriggered'],
    ...['ConfigFetchStarted', 'ConfigFetchFinished'],
  ]);
});

test('an SDK that holds no configuration fetches in each flush, whatever the revision', async () => {
  const rig = startSdk();
  rig.client.launch();
  rig.server.body(path, 200, '<html>');
  for (const count of [1, 2, 3]) {
    await rig.client.flush();
    expect(fetches(rig)).toHaveLength(count);
  }
});

test('an answer that is no configuration is a failed fetch, and is not kept', async () => {
  const rig = await launched();
  rig.server.change('r-2', []);
  rig.server.body(path, 200, '<html>');
  await rig.client.flush();
  expect(rig.recorded('ConfigFetchFinished')[1]).toMatchObject({ success: false, campaignCount: 1 });
  expect(rig.store.configuration).toMatchObject({ revision: 'r-1' });
});

test('another app version is another query, which has no tag yet', async () => {
  const rig = await launched();
  rig.store.deviceProperties = { ...rig.store.deviceProperties, appVersionNormalized: 2_015_000 };
  rig.restart().launch();
  await rig.client.fetchConfiguration();
  expect(fetches(rig)[1]!.query.get('appVersion')).toBe('2015000');
  expect(fetches(rig)[1]!.headers.get('If-None-Match')).toBeNull();
});

test('a restart has the configuration before it has fetched, and asks with the tag', async () => {
  const rig = await launched();
  rig.restart().launch();
  rig.client.track('Opened');
  expect(rig.recorded('CampaignShown')).toHaveLength(1);
  await rig.client.fetchConfiguration();
  expect(fetches(rig)[1]!.headers.get('If-None-Match')).toMatch(/^"r-1 /);
});

test('what is scheduled for later is held and not called active', async () => {
  const rig = startSdk({}, [
    deliveredCampaign('a', { schedule: { startAt: '2026-12-01T00:00:00.000Z', endAt: null } }),
  ]);
  rig.client.launch();
  await rig.client.fetchConfiguration();
  expect(rig.recorded('ConfigFetchFinished')).toEqual([{ campaignCount: 0, success: true, campaigns: '[]' }]);
  expect(rig.store.configuration!.campaigns).toHaveLength(1);
});

test('without a running app nothing is fetched', async () => {
  const rig = await launched();
  rig.client.close();
  rig.server.change('r-2', []);
  await rig.client.flush();
  expect(fetches(rig)).toHaveLength(1);
  expect(rig.warnings).toEqual([]);
});
