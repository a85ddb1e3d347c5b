// What made the readers of openapi.yaml guess, in the reference SDK: clocks, lost processes, users, order and waits.
import { deliveredCampaign, type SdkRig, start, startSdk } from '../support/sdkRig.ts';
import { Backoff, backoffMillis, readRetryAfter } from '../tools/demo/sdk/backoff.ts';
import { cutIntoBatches, halve } from '../tools/demo/sdk/batches.ts';
import type { Presenter } from '../tools/demo/sdk/campaigns/presentation.ts';
import { clockOffset, DeviceClock, isoDate } from '../tools/demo/sdk/deviceClock.ts';
import { newDeviceStore } from '../tools/demo/sdk/deviceStore.ts';
import { Exchange } from '../tools/demo/sdk/exchange.ts';
import { fieldsOf, partOf } from '../tools/demo/sdk/refusedPart.ts';
import { recommendedSettings } from '../tools/demo/sdk/settings.ts';
import { customPropertyChanged } from '../tools/demo/sdk/systemEvents.ts';
import { nextTimestamp, plausibleTimestamps, withTimestamp } from '../tools/demo/sdk/timestampOrder.ts';
import { Uploader, type UploadStep } from '../tools/demo/sdk/uploader.ts';
import {
  acknowledgeUser,
  changeUser,
  newUserState,
  userReport,
  type Users,
  type UserState,
} from '../tools/demo/sdk/userState.ts';
import type { DeviceProperties, Session, SessionReport } from '../tools/demo/sdk/wire.ts';

describe('demoSdkClient', () => {
  const path = '/api/v1/session';
  const hour = 3_600_000;

  describe('events before the first correction', () => {
    /** The device's clock is an hour behind the server's. */
    function behind(): SdkRig {
      const rig = startSdk();
      rig.server.clockAheadMillis = hour;
      rig.client.launch();
      rig.client.track('Early');
      return rig;
    }

    test('move with it, with the dates of their session, and keep their offset from UTC', async () => {
      const rig = behind();
      await rig.client.fetchConfiguration();
      rig.client.track('Late');
      await rig.client.flush();
      const [session] = rig.server.sessionReports()[0]!.sessions;
      expect(session!.startDate).toBe('2026-11-21T12:00:00.000+01:00');
      const times = session!.events!.map(({ timestamp }) => timestamp);
      expect(new Set(times)).toEqual(new Set([(start + hour) / 1_000]));
      expect(new Set(session!.events!.map(({ date }) => Date.parse(date) / 1_000))).toEqual(new Set(times));
    });

    test('move in the body that is signed again after timestamp_out_of_window', async () => {
      const rig = behind();
      rig.server.response(path, [403]);
      rig.server.body(path, 403, { reason: 'timestamp_out_of_window' });
      await rig.client.flush();
      const dates = rig.server
        .sessionReports()
        .map(({ sessions }) => [sessions[0]!.startDate, sessions[0]!.events![0]!.date]);
      expect(dates).toEqual([
        ['2026-11-21T11:00:00.000+01:00', '2026-11-21T11:00:00.000+01:00'],
        ['2026-11-21T12:00:00.000+01:00', '2026-11-21T12:00:00.000+01:00'],
      ]);
    });

    test('keep their time in a later correction', async () => {
      const rig = behind();
      await rig.client.fetchConfiguration();
      rig.server.response(path, [403]);
      rig.server.body(path, 403, { reason: 'timestamp_out_of_window' });
      rig.server.clockAheadMillis = 2 * hour;
      await rig.client.flush();
      const starts = rig.server.sessionReports().map(({ sessions }) => sessions[0]!.startDate);
      expect(new Set(starts)).toEqual(new Set(['2026-11-21T12:00:00.000+01:00']));
    });
  });

  describe('what counts as the first correction', () => {
    const startDates = (rig: SdkRig): (string | undefined)[] =>
      rig.server.sessionReports().map(({ sessions }) => sessions[0]?.startDate);
    const [asRecorded, moved] = ['2026-11-21T11:00:00.000+01:00', '2026-11-21T12:00:00.000+01:00'];

    test('an offset below two seconds: it moves nothing, and the next one is a later correction', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.server.clockAheadMillis = 1_400;
      await rig.client.fetchConfiguration();
      rig.server.clockAheadMillis = hour;
      rig.server.response(path, Array<number>(5).fill(503));
      await rig.client.flush();
      rig.time.advance(16_000);
      await rig.client.flush();
      expect(new Set(startDates(rig))).toEqual(new Set([asRecorded]));
    });

    test('the Date of a 5xx: a repeat keeps its bytes, and the next flush brings what is in doubt with its right time', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.server.clockAheadMillis = hour;
      rig.server.response(path, Array<number>(5).fill(503));
      await rig.client.flush();
      rig.time.advance(16_000);
      await rig.client.flush();
      expect(startDates(rig)).toEqual([...Array<string>(5).fill(asRecorded), moved]);
    });
  });

  test('X-Timestamp does not go back below that of an upload with a 422', async () => {
    const rig = startSdk();
    rig.client.launch();
    rig.server.clockAheadMillis = -100_000;
    rig.server.response(path, [422]);
    rig.server.body(path, 422, { fields: [{ path: 'sessions[0].events[1].name', message: 'is wrong' }] });
    await rig.client.flush();
    const timestamps = rig.server.to(path).map(({ headers }) => headers.get('X-Timestamp'));
    expect(timestamps).toEqual([String(start / 1_000), String(start / 1_000)]);
  });

  describe('a refusal that no new signature cures', () => {
    test.each([404, 415])('%i: nothing more is sent until the next start, no fetch either', async (status) => {
      const rig = startSdk();
      rig.client.launch();
      rig.client.reportTransaction('t-1');
      rig.client.reportAttribution({ provider_a: { network: 'organic' } });
      rig.server.response(path, [status]);
      expect(await rig.client.flush()).toBe('refused');
      expect([await rig.client.fetchConfiguration(), await rig.client.flush()]).toEqual(['refused', 'refused']);
      expect(rig.server.requests).toHaveLength(1);
      rig.restart().launch();
      expect([await rig.client.flush(), rig.acknowledged]).toEqual(['sent', ['sessions', 'attribution', 't-1']]);
    });

    test('that of a report of transactions stops the uploads too', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.client.reportTransaction('t-1');
      rig.server.response('/api/v1/tm/store', [404]);
      await rig.client.flush();
      rig.client.track('More');
      expect(await rig.client.flush()).toBe('refused');
      expect(rig.server.to(path)).toHaveLength(1);
    });

    test.each(['timestamp_out_of_window', 'nonce_reused'])('%s twice: only the sessions wait', async (reason) => {
      const rig = startSdk();
      rig.client.launch();
      rig.client.reportTransaction('t-1');
      rig.server.response(path, [403, 403]);
      rig.server.body(path, 403, { reason });
      expect(await rig.client.flush()).toBe('postponed');
      expect([rig.server.to(path).length, rig.acknowledged]).toEqual([2, ['t-1']]);
      expect(rig.server.to('/api/v1/campaigns')).toHaveLength(1);
      expect([await rig.client.flush(), rig.acknowledged]).toEqual(['sent', ['t-1', 'sessions']]);
    });
  });

  describe('an upload that is too large', () => {
    const sizes = (rig: SdkRig): (number | undefined)[] =>
      rig.server.sessionReports().map(({ sessions }) => sessions[0]?.events?.length);

    test('does not come whole again in the next flush, until everything is sent', async () => {
      const rig = startSdk();
      rig.client.launch();
      for (let count = 0; count < 5; count += 1) rig.client.track('Tapped');
      rig.server.response(path, [413, ...Array<number>(5).fill(503)]);
      expect(await rig.client.flush()).toBe('unreachable');
      rig.time.advance(16_000);
      expect(await rig.client.flush()).toBe('sent');
      expect(sizes(rig)).toEqual([12, 6, 6, 6, 6, 6, 6, 6]);
      for (let count = 0; count < 5; count += 1) rig.client.track('Tapped');
      await rig.client.flush();
      expect(sizes(rig).at(-1)).toBe(12);
    });

    test('with one event is cut by its properties, and nothing is set aside', async () => {
      const rig = startSdk();
      rig.client.launch();
      for (const key of ['a', 'b', 'c', 'd']) rig.client.setCustomProperty(key, key);
      rig.server.response(path, [413, 413, 413]);
      expect(await rig.client.flush()).toBe('sent');
      const sent = rig.server
        .sessionReports()
        .map(({ sessions, user }) => [sessions[0]!.events!.length, user] as const);
      expect(sent.slice(0, 4).map(([events, { properties }]) => [events, properties!.length])).toEqual([
        ...[
          [6, 4],
          [3, 4],
          [1, 4],
          [1, 2],
        ],
      ]);
      const [, { lastSyncTS, properties }] = sent[4]!;
      expect([lastSyncTS, properties!.map(({ name }) => name)]).toEqual([start / 1_000, ['c', 'd']]);
      expect(rig.store.takenOut).toEqual([]);
    });

    test('with one event and one property comes without the property, and only then the event is set aside', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.client.setCustomProperty('a', 'a');
      rig.server.response(path, [413, 413, 413]);
      await rig.client.flush();
      const users = rig.server.sessionReports().map(({ user }) => user.properties?.length);
      expect(users.slice(0, 3)).toEqual([1, 1, undefined]);
      expect(rig.store.takenOut).toMatchObject([{ path: '', value: [{ events: [{ name: 'SessionStarted' }] }] }]);
    });
  });

  test('a process that died: its session ends at its last event, without SessionFinished', async () => {
    const rig = startSdk();
    rig.client.launch();
    rig.time.advance(60_000);
    await rig.client.flush();
    rig.time.advance(60_000);
    rig.client.track('Last');
    await rig.client.flush();
    rig.time.advance(60_000);
    rig.client.enterBackground();
    rig.time.advance(hour);
    rig.restart().launch();
    await rig.client.flush();
    const last = rig.server.sessionReports().at(-1)!;
    expect(last.sessions[0]).toMatchObject({ finishDate: '2026-11-21T11:02:00.000+01:00', events: [] });
    expect(last.sessions[1]!.events![0]).toMatchObject({ name: 'SessionStarted', params: [{ value: 'cold' }] });
    expect(rig.recorded('SessionFinished')).toEqual([]);
  });

  test('a process that died: the last event is the one that was recorded last, also after the clock went back', async () => {
    const rig = startSdk();
    rig.client.launch();
    await rig.client.flush();
    rig.time.advance(60_000);
    rig.client.track('Latest');
    rig.server.clockAheadMillis = -hour;
    await rig.client.flush();
    rig.client.track('Last');
    rig.restart().launch();
    await rig.client.flush();
    const [lost] = rig.server.sessionReports().at(-1)!.sessions;
    expect(lost!.finishDate).toBe('2026-11-21T10:01:00.000+01:00');
    expect(lost!.events!.map(({ name }) => name).slice(-2)).toEqual(['Last', 'EventTriggered']);
  });

  test('a campaign that SessionFinished triggers is shown after the last event of the session', async () => {
    const trigger = { event: 'SessionFinished', type: 'SYSTEM' as const, filters: [] };
    const rig = startSdk({}, [deliveredCampaign('a', { trigger })]);
    rig.client.launch();
    await rig.client.flush();
    rig.time.advance(1_000);
    rig.client.close();
    await rig.client.flush();
    const [session] = rig.server.sessionReports().at(-1)!.sessions;
    expect(session!.events!.map(({ name }) => name).slice(-2)).toEqual(['SessionFinished', 'CampaignShown']);
    expect(session!.finishDate).toBe('2026-11-21T11:00:01.000+01:00');
  });

  test('one track records the custom event, its show, then EventTriggered and the show of that', async () => {
    const mirrored = { event: 'EventTriggered', type: 'SYSTEM' as const, filters: [] };
    const campaigns = [deliveredCampaign('a'), deliveredCampaign('b', { trigger: mirrored })];
    const rig = startSdk({}, campaigns);
    rig.client.launch();
    await rig.client.flush();
    rig.events.length = 0;
    rig.client.track('Opened');
    expect(rig.events.map(({ name }) => name)).toEqual(['Opened', 'CampaignShown', 'EventTriggered', 'CampaignShown']);
    expect(rig.recorded('CampaignShown')).toEqual([
      { source: 'Opened', campaignId: 'a' },
      { source: 'EventTriggered', campaignId: 'b' },
    ]);
  });

  describe('change of user', () => {
    test('A offline, logout, B logs in, one flush: each has their own sessions and properties', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.client.setUserId('A');
      rig.client.setCustomProperty('plan', 'pro');
      rig.client.setUserId(null);
      rig.client.setUserId('B');
      rig.client.track('Bought');
      await rig.client.flush();
      const sent = rig.server.sessionReports().map(({ user, sessions }) => ({
        ...user,
        numbers: sessions.map(({ number }) => number.global),
        ended: sessions.map(({ finishDate }) => finishDate !== null),
      }));
      expect(sent).toEqual([
        { id: null, lastSyncTS: null, properties: [], numbers: [1], ended: [true] },
        { id: 'A', lastSyncTS: null, properties: [{ name: 'plan', value: 'pro' }], numbers: [2], ended: [true] },
        { id: null, lastSyncTS: null, properties: [], numbers: [3], ended: [true] },
        { id: 'B', lastSyncTS: null, properties: [], numbers: [4], ended: [false] },
      ]);
      expect(rig.store.formerUsers).toEqual([]);
    });

    test('the same user again changes nothing, and an id that the server would refuse is not set', () => {
      const rig = startSdk();
      rig.client.launch();
      rig.client.setUserId('A');
      rig.client.setUserId('A');
      rig.client.setUserId('x'.repeat(257));
      expect([rig.store.user.id, rig.recorded('SessionStarted')]).toEqual(['A', [{ type: 'cold' }, { type: 'warm' }]]);
      expect(rig.warnings).toHaveLength(1);
    });

    test('a user whose uploads fail goes before the next one', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.client.setUserId('A');
      rig.server.response(path, Array<null>(5).fill(null));
      expect(await rig.client.flush()).toBe('unreachable');
      rig.time.advance(60_000);
      await rig.client.flush();
      expect(rig.server.sessionReports().map(({ user }) => user.id)).toEqual([null, null, null, null, null, null, 'A']);
    });
  });

  describe('backoff', () => {
    test('doubles up to five minutes, and any response below 500 begins it again', () => {
      let now = 0;
      const environment = { uptime: () => now, random: () => 0.5 };
      const backoff = new Backoff({ policy: recommendedSettings.retry, environment });
      const waits = Array.from({ length: 11 }, () => {
        backoff.noteFailure(0);
        const wait = backoff.remainingMillis() / 1_000;
        now += wait * 1_000;
        return wait;
      });
      expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]);
      backoff.noteFailure(400_000);
      expect(backoff.remainingMillis()).toBe(400_000);
      // Another request that was under way: its failure does not shorten the wait.
      backoff.noteFailure(0);
      expect(backoff.remainingMillis()).toBe(400_000);
      backoff.noteResponse();
      expect(backoff.remainingMillis()).toBe(0);
      backoff.noteFailure(0);
      expect(backoff.remainingMillis()).toBe(1_000);
    });

    test('a flush during the wait sends nothing, and one after it goes on where the last one ended', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.server.response(path, Array<number>(6).fill(503));
      expect(await rig.client.flush()).toBe('unreachable');
      expect(rig.server.requests).toHaveLength(5);
      rig.time.advance(15_999);
      expect([await rig.client.flush(), await rig.client.fetchConfiguration()]).toEqual(['unreachable', 'unreachable']);
      expect(rig.server.requests).toHaveLength(5);
      rig.time.advance(1);
      const before = rig.time.now;
      expect(await rig.client.flush()).toBe('sent');
      expect(rig.time.now - before).toBe(32_000);
    });

    test('a long Retry-After holds back every request, and the upload is signed again after it', async () => {
      const rig = startSdk();
      rig.client.launch();
      rig.server.retryAfter = '450';
      rig.server.response(path, [503]);
      const before = rig.time.now;
      expect(await rig.client.flush()).toBe('sent');
      expect(rig.time.now - before).toBe(450_000);
      const [refused, taken] = rig.server.to(path);
      expect(taken!.body).toEqual(refused!.body);
      expect(taken!.headers.get('X-Timestamp')).not.toBe(refused!.headers.get('X-Timestamp'));
    });
  });
});

// The campaign configuration in the reference SDK: when it is fetched, what the request contains, and what follows a failure.
describe('demoConfiguration', () => {
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

  test('a response with another revision leads to a fetch in the same flush', async () => {
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
    rig.server.response(path, [null, 503, null, 503, null]);
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
    rig.server.response(path, Array<number>(5).fill(503));
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
    rig.server.response(path, [status]);
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
    rig.server.response(path, [422]);
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
    rig.server.response('/api/v1/session', Array<number>(5).fill(503));
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

  test('a response that is no configuration is a failed fetch, and is not kept', async () => {
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
});

// Attribution and purchases in the reference SDK: each is reported once, kept until it is acknowledged, and retried with the same bytes.
describe('demoReports', () => {
  test('an installation reports its attribution once, however often the app calls', async () => {
    const { client, server, acknowledged, restart } = startSdk();
    client.reportAttribution({ provider_a: { network: 'organic' } }, { source: 'test' });
    client.reportAttribution({ provider_a: { network: 'another' } });
    await client.flush();
    await client.flush();
    restart().reportAttribution({ provider_a: { network: 'organic' } });
    expect(server.to('/api/v1/attribution').map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      {
        device: { id: 'd-1' },
        system: { os_version: '18.1' },
        attribution: { provider_a: { network: 'organic' } },
        custom: { source: 'test' },
      },
    ]);
    expect(acknowledged).toEqual(['attribution']);
  });

  test('without a response it is sent again, in the next flush too, with the same bytes', async () => {
    const { client, server, time } = startSdk();
    client.reportAttribution({ provider_b: { attributed: true } });
    server.response('/api/v1/attribution', [503, null, 503, null, 503]);
    expect(await client.flush()).toBe('unreachable');
    expect(await client.flush()).toBe('unreachable');
    client.setUserId('user-1');
    time.advance(24_000);
    expect(await client.flush()).toBe('sent');
    const bodies = server.to('/api/v1/attribution').map(({ body }) => body);
    expect([bodies.length, new Set(bodies).size]).toEqual([6, 1]);
  });

  test('transactions wait until they were acknowledged; one that is reported twice meanwhile is sent once', async () => {
    const { client, server, store, time, acknowledged } = startSdk();
    client.setUserId('user-1');
    for (const id of ['t-1', 't-2', 't-1']) client.reportTransaction(id);
    server.response('/api/v1/tm/store', [null, 500, null, 500, null]);
    expect(await client.flush()).toBe('unreachable');
    expect(store.transactionIds).toEqual(['t-1', 't-2']);
    time.advance(60_000);
    expect(await client.flush()).toBe('sent');
    expect([store.transactionIds, acknowledged]).toEqual([[], ['t-1', 't-2']]);
    expect(JSON.parse(server.to('/api/v1/tm/store').at(-1)!.body)).toEqual({
      device: { id: 'd-1', external_id: 'user-1' },
      transactions: [{ id: 't-1' }, { id: 't-2' }],
    });
  });

  test('413 is followed by halves; another 4xx is not sent again', async () => {
    const { client, server, acknowledged, warnings } = startSdk();
    for (const id of ['t-1', 't-2', 't-3', 't-4']) client.reportTransaction(id);
    server.response('/api/v1/tm/store', [413]);
    await client.flush();
    expect(server.to('/api/v1/tm/store').map(({ body }) => body.match(/t-\d/g)!.length)).toEqual([4, 2, 2]);
    expect(acknowledged).toHaveLength(4);
    server.response('/api/v1/tm/store', [404]);
    client.reportTransaction('t-5');
    expect(await client.flush()).toBe('refused');
    expect(warnings).toEqual(['the server refuses transactions: 404 {}']);
  });

  test.each([413, 422])('an attribution refused with %i is set aside, and what follows it goes', async (status) => {
    const { client, server, store, acknowledged, restart } = startSdk();
    const attribution = { provider_a: { network: 'organic' } };
    client.launch();
    client.reportAttribution(attribution);
    client.reportTransaction('good-1');
    server.response('/api/v1/attribution', [status]);
    expect(await client.flush()).toBe('sent');
    expect(acknowledged).toContain('good-1');
    expect(server.to('/api/v1/campaigns')).toHaveLength(1);
    restart().reportAttribution(attribution);
    await client.flush();
    expect(server.to('/api/v1/attribution')).toHaveLength(1);
    expect(store.refusedReports.attributions).toEqual([server.to('/api/v1/attribution')[0]!.body]);
    client.reportAttribution({ provider_a: { network: 'another' } });
    await client.flush();
    expect(acknowledged).toContain('attribution');
  });

  test('a large attribution is sent with gzip, the same bytes each time', async () => {
    const { client, server } = startSdk();
    client.reportAttribution({ provider_a: { text: 'x'.repeat(60_000) } });
    server.response('/api/v1/attribution', [503]);
    await client.flush();
    const sent = server.to('/api/v1/attribution');
    expect(sent.map(({ headers }) => headers.get('Content-Encoding'))).toEqual(['gzip', 'gzip']);
    expect(sent[0]!.body.length).toBeLessThan(10_000);
    expect(sent[1]!.body).toBe(sent[0]!.body);
  });

  test('an attribution with a payload that no server stores is not reported', async () => {
    const { client, server, warnings } = startSdk();
    client.reportAttribution({ provider_a: { text: 'é'.repeat(32_762) } }, { text: 'x'.repeat(65_526) });
    client.reportAttribution({ provider_b: { text: 'é'.repeat(32_762) } }, { text: 'x'.repeat(65_525) });
    expect(await client.flush()).toBe('sent');
    expect(warnings).toEqual(['not reported: the payload custom has more than 65,536 bytes']);
    expect(server.to('/api/v1/attribution')).toHaveLength(1);
  });

  test('a transaction that the server names as refused is set aside, and the others go', async () => {
    const { client, server, store, acknowledged } = startSdk();
    for (const id of ['t-1', 't-2', 't-3']) client.reportTransaction(id);
    server.response('/api/v1/tm/store', [422]);
    server.body('/api/v1/tm/store', 422, { fields: [{ path: 'transactions[1].id', message: 'is wrong' }] });
    expect(await client.flush()).toBe('sent');
    expect(acknowledged).toEqual(['t-1', 't-3']);
    client.reportTransaction('t-2');
    expect(store.transactionIds).toEqual([]);
    expect(store.refusedReports.transactionIds).toEqual(['t-2']);
  });

  test('path "" sets all transactions of the upload aside, and later ones go', async () => {
    const { client, server, store, acknowledged } = startSdk();
    client.reportTransaction('t-1');
    server.response('/api/v1/tm/store', [422]);
    server.body('/api/v1/tm/store', 422, { fields: [{ path: '', message: 'is wrong' }] });
    expect(await client.flush()).toBe('sent');
    client.reportTransaction('t-2');
    await client.flush();
    expect([acknowledged, store.refusedReports.transactionIds]).toEqual([['t-2'], ['t-1']]);
  });

  test('a refused external_id is left out, and a refused device holds the transactions until the next start', async () => {
    const { client, server, store, acknowledged, restart } = startSdk();
    client.setUserId('user-1');
    client.reportTransaction('t-1');
    server.response('/api/v1/tm/store', [422]);
    server.body('/api/v1/tm/store', 422, { fields: [{ path: 'device.external_id', message: 'is wrong' }] });
    expect(await client.flush()).toBe('sent');
    expect(JSON.parse(server.to('/api/v1/tm/store').at(-1)!.body)).toMatchObject({ device: { id: 'd-1' } });
    expect(server.to('/api/v1/tm/store').at(-1)!.body).not.toContain('external_id');
    client.reportTransaction('t-2');
    server.response('/api/v1/tm/store', [422]);
    server.body('/api/v1/tm/store', 422, { fields: [{ path: 'device.id', message: 'is wrong' }] });
    expect([await client.flush(), await client.flush(), store.transactionIds]).toEqual(['held', 'held', ['t-2']]);
    expect(server.to('/api/v1/tm/store')).toHaveLength(3);
    expect([await restart().flush(), acknowledged]).toEqual(['sent', ['t-1', 't-2']]);
  });

  test('a refused external_id that was not sent holds the transactions: the same request would be refused for ever', async () => {
    const { client, server } = startSdk();
    client.reportTransaction('t-1');
    server.response('/api/v1/tm/store', [422]);
    server.body('/api/v1/tm/store', 422, { fields: [{ path: 'device.external_id', message: 'is wrong' }] });
    expect([await client.flush(), await client.flush()]).toEqual(['held', 'held']);
    expect(server.to('/api/v1/tm/store')).toHaveLength(1);
  });

  test.each(['', ' ', 'a\u0000', 'x'.repeat(257)])('the transaction id %j is refused where it is reported', (id) => {
    const { client, store, warnings } = startSdk();
    client.reportTransaction(id);
    expect(store.transactionIds).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining('not reported: ')]);
  });
});

// The reference SDK's reaction to each response: retry the same bytes, sign again, or give up.
describe('demoUploader', () => {
  const report = {
    user: {},
    device: { id: 'd', properties: {} as DeviceProperties },
    sessions: [],
  } satisfies SessionReport;
  const deviceNow = Date.parse('2026-11-20T10:00:00Z');
  const serverDate = 'Sat, 21 Nov 2026 10:00:00 GMT';

  type ContractResponse = { status: number; reason?: string; retryAfter?: string } | 'no response';

  /** Gives the responses one after the other, and repeats the last one. */
  async function deliver(responses: ContractResponse[]) {
    const sent: { headers: Headers; body: string }[] = [];
    const waits: number[] = [];
    const steps: UploadStep[] = [];
    let nonces = 0;
    const environment = {
      now: () => deviceNow,
      uptime: () => 0,
      utcOffsetMinutes: () => 0,
      random: () => 0.5,
      randomBytes: (size: number) => new Uint8Array(size).fill(++nonces),
      newId: () => 'id',
      warn: () => undefined,
      sleep: async (millis: number) => void waits.push(millis),
      after: () => () => undefined,
      osVersion: () => '18.1',
      fetch: async (_url: string, { headers, body }: RequestInit) => {
        sent.push({ headers: new Headers(headers), body: (body as Buffer).toString() });
        const response = responses[Math.min(sent.length, responses.length) - 1]!;
        if (response === 'no response') throw new TypeError('fetch failed');
        const replyHeaders = {
          Date: serverDate,
          ...(response.retryAfter ? { 'Retry-After': response.retryAfter } : {}),
        };
        return new Response(JSON.stringify({ reason: response.reason }), {
          status: response.status,
          headers: replyHeaders,
        });
      },
    };
    const store = newDeviceStore('d', report.device.properties);
    const credentials = { baseUrl: 'http://service', publicKey: 'pub', secretKey: 'sec' };
    const clock = new DeviceClock(environment, store);
    const onStep = (step: UploadStep) => void steps.push(step);
    const backoff = new Backoff({ policy: recommendedSettings.retry, environment });
    const parts = { credentials, settings: recommendedSettings, environment, clock, store, backoff };
    const uploader = new Uploader({ ...parts, exchange: new Exchange(parts), onStep });
    const delivery = await uploader.deliver(() => report);
    const header = (name: string): (string | null)[] => sent.map(({ headers }) => headers.get(name));
    return { delivery, steps, waits, timestamps: header('X-Timestamp'), nonces: header('X-Nonce'), sent };
  }

  test('a lost reply and a 5xx are retried with the same bytes and nonce', async () => {
    const { delivery, waits, nonces, sent } = await deliver(['no response', 'no response', { status: 200 }]);
    expect(delivery.kind).toBe('acknowledged');
    expect(waits).toEqual([1_000, 2_000]);
    expect(new Set(nonces).size).toBe(1);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
  });

  test('Retry-After of a 503 is waited for', async () => {
    expect((await deliver([{ status: 503, retryAfter: '20' }, { status: 200 }])).waits).toEqual([20_000]);
  });

  test('it gives up after the last attempt and keeps nothing from the caller', async () => {
    const { delivery, sent } = await deliver([{ status: 500 }]);
    expect(delivery.kind).toBe('unreachable');
    expect(sent).toHaveLength(recommendedSettings.retry.attempts);
  });

  test('a wrong clock is corrected and the upload signed again, without a wait', async () => {
    const { delivery, steps, timestamps, nonces, waits } = await deliver([
      { status: 403, reason: 'timestamp_out_of_window' },
      { status: 200 },
    ]);
    expect(delivery).toMatchObject({ kind: 'acknowledged', timestamp: Date.parse(serverDate) / 1_000 });
    expect(timestamps).toEqual([String(deviceNow / 1_000), String(Date.parse(serverDate) / 1_000)]);
    expect(new Set(nonces).size).toBe(2);
    expect([steps, waits]).toEqual([['clock_corrected'], []]);
  });

  test('a reused nonce is replaced once', async () => {
    const { delivery, steps, sent } = await deliver([{ status: 403, reason: 'nonce_reused' }]);
    expect(delivery.kind).toBe('postponed');
    expect(steps).toEqual(['nonce_replaced']);
    expect(sent).toHaveLength(2);
  });

  test('the repeat with a new signature is none of the five attempts', async () => {
    const { delivery, sent } = await deliver([{ status: 403, reason: 'nonce_reused' }, { status: 503 }]);
    expect([delivery.kind, sent.length]).toEqual(['unreachable', 1 + recommendedSettings.retry.attempts]);
  });

  test.each([400, 408, 429])(
    '%i is a cut request or that of a proxy: it is retried like a lost reply',
    async (status) => {
      const { delivery, waits, sent } = await deliver([{ status }, { status: 200 }]);
      expect([delivery.kind, waits, new Set(sent.map(({ body }) => body)).size]).toEqual(['acknowledged', [1_000], 1]);
    },
  );

  test.each([403, 404, 415, 422])('%i is not sent again', async (status) => {
    const { delivery, sent } = await deliver([{ status, reason: 'signature_mismatch' }]);
    expect(delivery).toMatchObject({ kind: 'refused', status });
    expect(sent).toHaveLength(1);
  });

  test('413 is handed back for halving', async () => {
    expect((await deliver([{ status: 413 }])).delivery.kind).toBe('too_large');
  });
});

// Batches of the reference SDK: nothing lost, nothing twice, within the limits, and halved down to one event.
describe('demoBatches', () => {
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
});

// The retry schedule of the reference SDK: doubled, spread, bounded, and never earlier than the server asks.
describe('demoBackoff', () => {
  const policy = recommendedSettings.retry;
  const wait = (attempt: number, random: number, retryAfterMillis = 0): number =>
    backoffMillis({ attempt, random, retryAfterMillis }, policy);

  test('doubles from one second up to five minutes', () => {
    expect([1, 2, 3, 9, 10, 40].map((attempt) => wait(attempt, 0.5))).toEqual([
      1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
    ]);
  });

  test('spreads devices by a factor from 0.5 to 1.5', () => {
    expect(wait(3, 0)).toBe(2_000);
    expect(wait(3, 0.999)).toBeCloseTo(5_996);
  });

  test('takes Retry-After as a lower bound only', () => {
    expect(wait(1, 0, 30_000)).toBe(30_000);
    expect(wait(9, 0.5, 30_000)).toBe(256_000);
  });

  test('reads Retry-After as seconds or as an HTTP date', () => {
    const now = Date.parse('2026-11-21T10:00:00Z');
    expect(readRetryAfter('7', now)).toBe(7_000);
    expect(readRetryAfter('Sat, 21 Nov 2026 10:00:05 GMT', now)).toBe(5_000);
    expect(readRetryAfter('Sat, 21 Nov 2026 09:00:00 GMT', now)).toBe(0);
    expect(readRetryAfter('soon', now)).toBe(0);
    expect(readRetryAfter(null, now)).toBe(0);
  });
});

// The reference SDK after a 422: it takes out exactly what `fields` names, sends the rest again, and keeps the other.
describe('demoTakeOut', () => {
  const path = '/api/v1/session';

  test.each([
    ['', { kind: 'everything' }],
    ['sessions[0].events[12]', { kind: 'event', session: 0, event: 12 }],
    ['sessions[1].events[0].params[2].value', { kind: 'event', session: 1, event: 0 }],
    ['sessions[1].events[0].params[0]["a.b"]', { kind: 'event', session: 1, event: 0 }],
    ['sessions[3]', { kind: 'session', session: 3 }],
    ['sessions[3].startDate', { kind: 'session', session: 3 }],
    ['sessions[3].number.global', { kind: 'session', session: 3 }],
    ['sessions[3].events', { kind: 'session', session: 3 }],
    ['user.properties[4].name', { kind: 'property', index: 4 }],
    ['user.properties', { kind: 'properties' }],
    ['user.id', { kind: 'optional', path: 'user.id' }],
    ['device.properties.adId', { kind: 'optional', path: 'device.properties.adId' }],
    ['transactions[7].id', { kind: 'transaction', index: 7 }],
    ['device.properties.platform', { kind: 'required' }],
    ['device.id', { kind: 'required' }],
    ['sessions', { kind: 'required' }],
    ['something.newer[0]', { kind: 'required' }],
  ])('the path %j', (text, part) => expect(partOf(text)).toEqual(part));

  test.each(['', '<html>', '{}', '{"fields":7}', 'null'])('a body that lists nothing: %j', (body) => {
    expect(fieldsOf(body)).toEqual([]);
  });

  /** A launched app with three tracked events; its batch has one session. */
  function tracked(): SdkRig {
    const rig = startSdk();
    rig.client.launch();
    for (const name of ['One', 'Two', 'Three']) rig.client.track(name);
    return rig;
  }

  function refuse(rig: SdkRig, paths: string[], times = 1): void {
    rig.server.response(path, Array<number>(times).fill(422));
    rig.server.body(path, 422, { fields: paths.map((one) => ({ path: one, message: 'is wrong' })) });
  }

  const namesOf = (rig: SdkRig, upload: number): string[] =>
    rig.server
      .sessionReports()
      [upload]!.sessions.flatMap(({ events = [] }) => events.map(({ name }) => name))
      .filter((name) => !['EventTriggered', 'ConfigFetchStarted', 'ConfigFetchFinished'].includes(name));

  test('one bad event leaves, with several bad fields once, and every other one is sent at once', async () => {
    const rig = tracked();
    refuse(rig, ['sessions[0].events[4].name', 'sessions[0].events[4].params[0].value', 'sessions[0].events[4]']);
    expect(await rig.client.flush()).toBe('sent');
    expect(namesOf(rig, 0)).toEqual(['SessionStarted', 'SdkInitialized', 'One', 'Two', 'Three']);
    expect(namesOf(rig, 1)).toEqual(['SessionStarted', 'SdkInitialized', 'One', 'Three']);
    expect(rig.store.takenOut).toMatchObject([
      { path: 'sessions[0].events[4].name', message: 'is wrong', value: { name: 'Two' } },
    ]);
    expect([rig.acknowledged, rig.warnings]).toEqual([['sessions'], []]);
    rig.client.track('Four');
    await rig.client.flush();
    expect(namesOf(rig, 2)).toEqual(['Four']);
  });

  test('of two events with one id only the named one leaves', async () => {
    const rig = tracked();
    const { events } = rig.store.sessions[0]!;
    events[4]!.id = events[2]!.id;
    refuse(rig, ['sessions[0].events[4].name']);
    await rig.client.flush();
    expect(namesOf(rig, 1)).toEqual(['SessionStarted', 'SdkInitialized', 'One', 'Three']);
  });

  test('a list that was full is followed by the next one, until the server accepts', async () => {
    const rig = tracked();
    refuse(rig, ['sessions[0].events[2]'], 3);
    expect(await rig.client.flush()).toBe('sent');
    expect(rig.server.to(path)).toHaveLength(4);
    expect(rig.store.takenOut.map(({ value }) => (value as { name: string }).name)).toEqual([
      'One',
      'EventTriggered',
      'Two',
    ]);
  });

  test('a session whose date is wrong leaves with its events; the others and later sessions go', async () => {
    const rig = tracked();
    rig.client.close();
    rig.restart().launch();
    refuse(rig, ['sessions[0].startDate']);
    await rig.client.flush();
    expect(rig.server.sessionReports().map(({ sessions }) => sessions.length)).toEqual([2, 1]);
    expect(rig.store.takenOut).toMatchObject([{ path: 'sessions[0].startDate', value: { id: 'id-1' } }]);
  });

  test('to an open session that was taken out nothing more is sent, and a removal in it makes the set whole', async () => {
    const rig = tracked();
    rig.client.setCustomProperty('plan', 'pro');
    rig.client.setCustomProperty('level', 7);
    refuse(rig, ['sessions[0].number']);
    expect(await rig.client.flush()).toBe('sent');
    expect(rig.server.to(path)).toHaveLength(1);
    rig.client.track('Late');
    rig.client.removeCustomProperty('level');
    rig.client.close();
    rig.restart().launch();
    await rig.client.flush();
    expect(rig.server.sessionReports()[1]).toMatchObject({
      user: { lastSyncTS: null, properties: [{ name: 'plan', value: 'pro' }] },
      sessions: [{ number: { global: 2 } }],
    });
  });

  test('a removal that was taken out makes the next set whole', async () => {
    const rig = tracked();
    rig.client.setCustomProperty('plan', 'pro');
    rig.client.setCustomProperty('level', 7);
    await rig.client.flush();
    rig.client.removeCustomProperty('level');
    const bad = rig.store.sessions[0]!.events.findIndex(({ name }) => name === 'CustomPropertyChanged');
    refuse(rig, [`sessions[0].events[${bad}].params[0].value`]);
    await rig.client.flush();
    const users = rig.server.sessionReports().map(({ user }) => user);
    expect(users[1]).toMatchObject({ lastSyncTS: Math.floor(rig.time.now / 1_000) });
    expect(users[2]).toMatchObject({ lastSyncTS: null, properties: [{ name: 'plan', value: 'pro' }] });
  });

  test('a property leaves until its value changes', async () => {
    const rig = tracked();
    rig.client.setCustomProperty('plan', 'pro');
    rig.client.setCustomProperty('level', 7);
    refuse(rig, ['user.properties[0].value']);
    await rig.client.flush();
    rig.client.setCustomProperty('plan', 'free');
    await rig.client.flush();
    const sent = rig.server.sessionReports().map(({ user }) => user.properties!.map(({ value }) => value));
    expect(sent).toEqual([['pro', 7], [7], ['free']]);
  });

  test('too long a set is left out until the app has removed some, then it is whole', async () => {
    const rig = tracked();
    rig.client.setCustomProperty('plan', 'pro');
    rig.client.setCustomProperty('level', 7);
    refuse(rig, ['user.properties']);
    await rig.client.flush();
    rig.client.track('More');
    await rig.client.flush();
    rig.client.removeCustomProperty('level');
    await rig.client.flush();
    const [, second, third, fourth] = rig.server.sessionReports().map(({ user }) => user);
    expect([second, third]).toEqual([
      { id: null, lastSyncTS: null },
      { id: null, lastSyncTS: null },
    ]);
    expect(fourth).toEqual({ id: null, lastSyncTS: null, properties: [{ name: 'plan', value: 'pro' }] });
  });

  test.each(['ad-1', ''])('an optional field is left out until its value changes: %j', async (adId) => {
    const rig = tracked();
    rig.store.deviceProperties.adId = adId;
    refuse(rig, ['device.properties.adId']);
    expect(await rig.client.flush()).toBe('sent');
    rig.store.deviceProperties.adId = 'ad-2';
    rig.client.track('More');
    await rig.client.flush();
    const sent = rig.server.sessionReports().map(({ device }) => device.properties.adId);
    expect(sent).toEqual([adId, undefined, 'ad-2']);
  });

  test('without a refused user id the upload is that of another user: it has the whole set, and the session goes on', async () => {
    const rig = startSdk();
    rig.client.launch();
    rig.client.setUserId('ann');
    rig.client.setCustomProperty('plan', 'pro');
    await rig.client.flush();
    rig.client.setCustomProperty('level', 7);
    refuse(rig, ['user.id']);
    expect(await rig.client.flush()).toBe('sent');
    const [refused, taken] = rig.server.sessionReports().slice(-2);
    expect(refused!.user).toMatchObject({ id: 'ann', lastSyncTS: expect.any(Number) as number });
    const properties = [
      { name: 'plan', value: 'pro' },
      { name: 'level', value: 7 },
    ];
    expect(taken!.user).toEqual({ lastSyncTS: null, properties });
    expect(taken!.sessions.map(({ id }) => id)).toEqual(refused!.sessions.map(({ id }) => id));
  });

  test('a session whose only events are taken out is still sent, without events', async () => {
    const rig = tracked();
    await rig.client.flush();
    rig.client.close();
    refuse(rig, ['sessions[0].events[0].name', 'sessions[0].events[1].name', 'sessions[0].events[2].name']);
    await rig.client.flush();
    const sent = rig.server.sessionReports().at(-1)!.sessions;
    expect(sent).toMatchObject([{ finishDate: expect.any(String) as string, events: [] }]);
    expect(rig.store.sessions).toEqual([]);
  });

  test('a 4xx after a 5xx for the same bytes is a 4xx like any other', async () => {
    const rig = tracked();
    refuse(rig, ['sessions[0].events[4].name']);
    rig.server.response(path, [503, 422]);
    expect(await rig.client.flush()).toBe('sent');
    expect(rig.server.to(path)[1]!.body).toEqual(rig.server.to(path)[0]!.body);
    expect(namesOf(rig, 2)).toEqual(['SessionStarted', 'SdkInitialized', 'One', 'Three']);
  });

  test('a required field holds the sessions until the next start; other operations go on and nothing is lost', async () => {
    const rig = tracked();
    rig.client.reportTransaction('t-1');
    refuse(rig, ['device.properties.platform', 'sessions[0].events[2].name']);
    expect(await rig.client.flush()).toBe('held');
    rig.client.track('Four');
    expect(await rig.client.flush()).toBe('held');
    expect(rig.server.to(path)).toHaveLength(1);
    expect(rig.acknowledged).toEqual(['t-1']);
    expect(rig.server.to('/api/v1/campaigns')).toHaveLength(1);
    rig.restart();
    expect(await rig.client.flush()).toBe('sent');
    expect(namesOf(rig, 1)).toEqual(['SessionStarted', 'SdkInitialized', 'Two', 'Three', 'Four']);
  });

  test.each(['[]', '<html>'])('a 422 that names nothing holds the sessions: %s', async (body) => {
    const rig = tracked();
    rig.server.response(path, [422]);
    rig.server.body(path, 422, body);
    expect(await rig.client.flush()).toBe('held');
    expect(rig.store.sessions[0]!.events.length).toBeGreaterThan(3);
  });

  test('only the path "" sets the whole batch aside', async () => {
    const rig = tracked();
    refuse(rig, ['']);
    expect(await rig.client.flush()).toBe('sent');
    expect(rig.store.takenOut).toMatchObject([{ path: '', value: [{ id: 'id-1' }] }]);
    rig.client.track('Four');
    await rig.client.flush();
    expect(namesOf(rig, 1)).toEqual(['Four']);
  });
});

// The reference SDK's clock: corrected from Date, unchanged without one; X-Timestamp never decreases.
describe('demoDeviceClock', () => {
  const serverDate = 'Sat, 21 Nov 2026 10:00:00 GMT';
  const serverTime = Date.parse(serverDate);

  describe('clockOffset', () => {
    test('takes the device time in the middle between sending and receiving', () => {
      expect(clockOffset({ date: serverDate, sentAt: serverTime - 1_000, receivedAt: serverTime + 3_000 })).toBe(
        -1_000,
      );
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
});

// The reference SDK must show, perform and resolve a triggered campaign exactly once.
describe('demoCampaignRunner', () => {
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
});

// The delta of user properties in the reference SDK: first all of them, then the changes; an older removal never deletes a newer value.
describe('demoUserState', () => {
  const date = '2026-11-21T10:00:00Z';
  const removalOfPlan: Session = {
    id: 's',
    number: { global: 1, version: 1 },
    startDate: date,
    events: [
      { id: 'e', timestamp: 0, date, ...customPropertyChanged({ key: 'plan', oldValue: 'free', newValue: undefined }) },
    ],
  };

  function userWith(properties: Record<string, string>, state: Partial<UserState> = {}): UserState {
    return { ...newUserState(), properties: new Map(Object.entries(properties)), ...state };
  }

  test('sends the whole set until an upload was acknowledged', () => {
    expect(userReport(userWith({ plan: 'pro', level: '7' }), [])).toEqual({
      id: null,
      lastSyncTS: null,
      properties: [
        { name: 'plan', value: 'pro' },
        { name: 'level', value: '7' },
      ],
    });
  });

  test('sends at most 256 at once, and the rest with the next uploads', () => {
    const names = Array.from({ length: 600 }, (_, index) => `p${index}`);
    const user = userWith(Object.fromEntries(names.map((name) => [name, 'x'])), { changed: new Set(names) });
    const uploads = [1, 2, 3, 4].map((syncedAt) => {
      const sent = userReport(user, []);
      acknowledgeUser(user, sent, syncedAt);
      return sent;
    });
    expect(uploads.map(({ lastSyncTS, properties }) => [lastSyncTS, properties?.length])).toEqual([
      [null, 256],
      [1, 256],
      [2, 88],
      [3, 0],
    ]);
    expect(new Set(uploads.flatMap(({ properties }) => properties!.map(({ name }) => name))).size).toBe(600);
  });

  test('then sends what changed, and keeps what changed again meanwhile', () => {
    const user = userWith(
      { plan: 'pro', level: '7', theme: 'dark' },
      { lastSyncTS: 5, changed: new Set(['plan', 'level']) },
    );
    const sent = userReport(user, []);
    expect(sent.properties?.map(({ name }) => name)).toEqual(['plan', 'level']);
    user.properties.set('level', '8');
    acknowledgeUser(user, sent, 9);
    expect([user.lastSyncTS, [...user.changed]]).toEqual([9, ['level']]);
  });

  test('names the current value of a property whose removal it reports', () => {
    const synced = { lastSyncTS: 5 };
    expect(userReport(userWith({ plan: 'pro' }, synced), [removalOfPlan]).properties).toEqual([
      { name: 'plan', value: 'pro' },
    ]);
    expect(userReport(userWith({}, synced), [removalOfPlan]).properties).toEqual([]);
  });

  test('a login keeps the properties and sends the whole set; another user and a logout begin with none', () => {
    const anonymous = userWith({ plan: 'pro', level: '7' }, { lastSyncTS: 5, changed: new Set(['level']) });
    const users: Users = { user: anonymous, formerUsers: [] };
    const sent = userReport(anonymous, []);
    changeUser(users, 'A');
    acknowledgeUser(anonymous, sent, 9);
    const whole = { id: 'A', lastSyncTS: null, properties: [{ name: 'plan' }, { name: 'level' }] };
    expect(userReport(users.user, [])).toMatchObject(whole);
    acknowledgeUser(users.user, userReport(users.user, []), 10);
    for (const id of ['B', null]) {
      changeUser(users, id);
      expect(userReport(users.user, [])).toEqual({ id, lastSyncTS: null, properties: [] });
    }
    expect(users.formerUsers.map(({ id, number }) => [id, number])).toEqual([
      [null, 0],
      ['A', 1],
      ['B', 2],
    ]);
    expect([...users.formerUsers[1]!.properties.keys()]).toEqual(['plan', 'level']);
  });
});
