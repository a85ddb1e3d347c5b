// What made the readers of openapi.yaml guess, in the reference SDK: clocks, lost processes, users, order and waits.
import { deliveredCampaign, startSdk, start, type SdkRig } from '../support/sdkRig.ts';
import { Backoff } from '../tools/demo/sdk/backoff.ts';
import { recommendedSettings } from '../tools/demo/sdk/settings.ts';

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
    rig.server.answer(path, [403]);
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
    rig.server.answer(path, [403]);
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
    rig.server.answer(path, Array<number>(5).fill(503));
    await rig.client.flush();
    rig.time.advance(16_000);
    await rig.client.flush();
    expect(new Set(startDates(rig))).toEqual(new Set([asRecorded]));
  });

  test('the Date of a 5xx: a repeat keeps its bytes, and the next flush brings what is in doubt with its right time', async () => {
    const rig = startSdk();
    rig.client.launch();
    rig.server.clockAheadMillis = hour;
    rig.server.answer(path, Array<number>(5).fill(503));
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
  rig.server.answer(path, [422]);
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
    rig.server.answer(path, [status]);
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
    rig.server.answer('/api/v1/tm/store', [404]);
    await rig.client.flush();
    rig.client.track('More');
    expect(await rig.client.flush()).toBe('refused');
    expect(rig.server.to(path)).toHaveLength(1);
  });

  test.each(['timestamp_out_of_window', 'nonce_reused'])('%s twice: only the sessions wait', async (reason) => {
    const rig = startSdk();
    rig.client.launch();
    rig.client.reportTransaction('t-1');
    rig.server.answer(path, [403, 403]);
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
    rig.server.answer(path, [413, ...Array<number>(5).fill(503)]);
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
    rig.server.answer(path, [413, 413, 413]);
    expect(await rig.client.flush()).toBe('sent');
    const sent = rig.server.sessionReports().map(({ sessions, user }) => [sessions[0]!.events!.length, user] as const);
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
    rig.server.answer(path, [413, 413, 413]);
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
    rig.server.answer(path, Array<null>(5).fill(null));
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
    rig.server.answer(path, Array<number>(6).fill(503));
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
    rig.server.answer(path, [503]);
    const before = rig.time.now;
    expect(await rig.client.flush()).toBe('sent');
    expect(rig.time.now - before).toBe(450_000);
    const [refused, taken] = rig.server.to(path);
    expect(taken!.body).toEqual(refused!.body);
    expect(taken!.headers.get('X-Timestamp')).not.toBe(refused!.headers.get('X-Timestamp'));
  });
});
