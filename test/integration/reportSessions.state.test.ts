// POST /api/v1/session: the state of a user and a device after uploads.
import { ok, sendReport, storedRows } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, anEvent, aReport, aSession, json, signedHeaders, type SessionReport } from '../support/uploads.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

describe('user and device state', () => {
  async function upload(
    device: SessionReport['device'],
    user: SessionReport['user'],
    {
      at = 0,
      now = Math.floor(Date.now() / 1000),
      sessions,
    }: { at?: number; now?: number; sessions?: SessionReport['sessions'] },
  ) {
    const report = aReport({ device, user, sessions: sessions ?? [aSession()] });
    const body = json(report);
    const timestamp = now + at;
    expect(
      await service.client.send('reportSessions', signedHeaders(service.application.key, body, { timestamp }), body),
    ).toMatchObject(ok);
    return storedRows(service, report);
  }
  const property = (name: string, value: string | number | boolean) => ({ name, value });

  test('a whole set replaces, a delta merges, an absent list changes nothing', async () => {
    const device = aDevice();
    await upload(device, { lastSyncTS: null, properties: [property('a', 1), property('b', 1)] }, { at: 0 });
    const merged = await upload(
      device,
      { lastSyncTS: 1_789_000_000, properties: [property('b', 2), property('c', 2)] },
      { at: 1 },
    );
    expect(merged.device!.userProperties).toEqual({ a: 1, b: 2, c: 2 });
    const untouched = await upload(device, { id: null }, { at: 2 });
    expect(untouched.device).toMatchObject({ userId: null, userProperties: { a: 1, b: 2, c: 2 } });
    const replaced = await upload(device, { properties: [property('d', true)] }, { at: 3 });
    expect(replaced.device).toMatchObject({ userId: null, userProperties: { d: true } });
    const cleared = await upload(device, { properties: [] }, { at: 4 });
    expect(cleared.device!.userProperties).toEqual({});
  });

  test('an older upload stores its events and leaves the state alone', async () => {
    const device = aDevice();
    await upload(device, { id: 'new', properties: [property('a', 'new')] }, { at: 0 });
    const older = { ...device, properties: { ...device.properties, deviceModel: 'Old phone' } };
    const result = await upload(older, { id: 'old', properties: [property('a', 'old')] }, { at: -60 });
    expect(result.device).toMatchObject({
      userId: 'new',
      userProperties: { a: 'new' },
      properties: { deviceModel: 'Phone 15' },
    });
    expect(result.events).toHaveLength(2);
  });

  test('an upload of the same second changes the state', async () => {
    const device = aDevice();
    const now = Math.floor(Date.now() / 1000);
    await upload(device, { id: 'first', properties: [property('a', 'first')] }, { now });
    const later = { ...device, properties: { ...device.properties, deviceModel: 'Phone 16' } };
    const result = await upload(later, { id: 'second', properties: [property('a', 'second')] }, { now });
    expect(result.device).toMatchObject({
      userId: 'second',
      userProperties: { a: 'second' },
      properties: { deviceModel: 'Phone 16' },
    });
  });

  test('an upload that a fast clock signed does not keep the next one out, with the login in it', async () => {
    const device = aDevice();
    await upload(device, {}, { at: 240 });
    const result = await upload(device, { id: 'user-1', properties: [property('plan', 'pro')] }, { at: 0 });
    expect(result.device).toMatchObject({ userId: 'user-1', userProperties: { plan: 'pro' } });
    expect(result.device!.lastSeenAt.getTime()).toBeLessThanOrEqual(Date.now());
  });

  test('an upload that was signed early and arrives late is seen when it was signed, and not before the device', async () => {
    const now = Math.floor(Date.now() / 1000);
    const late = await upload(aDevice(), {}, { now, at: -100 });
    expect(late.device!.lastSeenAt).toEqual(late.device!.firstSeenAt);
    const device = aDevice();
    const first = await upload(device, {}, { now });
    const second = await upload(device, {}, { now, at: -100 });
    expect(second.device!.lastSeenAt).toEqual(first.device!.lastSeenAt);
  });

  test.each([
    ['a login', [null, 'A']],
    ['a logout', ['A', null]],
    ['a change', ['A', 'B']],
  ])('%s begins without properties, and a delta then starts from nothing', async (_, [before, after]) => {
    const device = aDevice();
    await upload(device, { id: before!, properties: [property('plan', 'pro')] }, {});
    const merged = await upload(device, { id: before!, lastSyncTS: 1, properties: [property('seats', 3)] }, {});
    expect(merged.device!.userProperties).toEqual({ plan: 'pro', seats: 3 });
    const delta = await upload(device, { id: after!, lastSyncTS: 1, properties: [property('level', 1)] }, {});
    expect(delta.device).toMatchObject({ userId: after, userProperties: { level: 1 } });
    const back = await upload(device, { id: before! }, {});
    expect(back.device).toMatchObject({ userId: before, userProperties: {} });
  });

  test('a session keeps the user of the latest upload that brought it', async () => {
    const device = aDevice();
    const [before, after] = [
      aSession({ id: '1 before' }),
      aSession({ id: '2 after', startDate: '2026-09-10T02:26:40Z' }),
    ];
    await upload(device, { id: 'A' }, { at: -50, sessions: [before] });
    await upload(device, { id: 'B' }, { at: -40, sessions: [after] });
    const late = await upload(device, { id: 'C' }, { at: -60, sessions: [before, after] });
    expect(late.sessions).toMatchObject([
      { userId: 'A', utcOffsetMinutes: 120 },
      { userId: 'B', utcOffsetMinutes: 0 },
    ]);
    const again = await upload(device, { id: null }, { sessions: [before] });
    expect(again.sessions.map(({ userId }) => userId)).toEqual([null, 'B']);
  });

  test('uploads of one device that share a transaction end in the state of the newest', async () => {
    const device = aDevice();
    const now = Math.floor(Date.now() / 1000);
    const bodies = Array.from({ length: 20 }, (_, i) => {
      const user = { lastSyncTS: 1, properties: [property('latest', i), property(`own-${i}`, i)] };
      return { body: json(aReport({ device, user })), timestamp: now - 30 + i };
    });
    bodies.sort(() => Math.random() - 0.5);
    await Promise.all(
      bodies.map(({ body, timestamp }) =>
        service.client.send('reportSessions', signedHeaders(service.application.key, body, { timestamp }), body),
      ),
    );
    expect((await storedRows(service, aReport({ device }))).device!.userProperties).toMatchObject({ latest: 19 });
  });

  test('a stored removal takes a property away, once, unless its upload sets it', async () => {
    const device = aDevice();
    const removal = (key: string) =>
      aSession({
        events: [
          anEvent({
            type: 'system',
            name: 'CustomPropertyChanged',
            params: [property('key', key), property('oldValue', 1)],
          }),
        ],
      });
    await upload(device, { properties: [property('a', 1), property('b', 1), property('c', 1)] }, { at: 0 });
    const removedA = removal('a');
    // The removal is in a session that is already stored.
    await upload(
      device,
      { lastSyncTS: 1, properties: [] },
      { at: 0, sessions: [{ ...removedA, events: [anEvent()] }] },
    );
    const first = await upload(
      device,
      { lastSyncTS: 1, properties: [] },
      { at: 1, sessions: [removedA, removal('nothing')] },
    );
    expect(first.device!.userProperties).toEqual({ b: 1, c: 1 });
    const setAgain = await upload(
      device,
      { lastSyncTS: 1, properties: [property('b', 2)] },
      { at: 2, sessions: [removal('b')] },
    );
    expect(setAgain.device!.userProperties).toEqual({ b: 2, c: 1 });
    await upload(device, { lastSyncTS: 1, properties: [property('a', 3)] }, { at: 3 });
    const repeated = await upload(device, { lastSyncTS: 1, properties: [] }, { at: 4, sessions: [removedA] });
    expect(repeated.device!.userProperties).toEqual({ a: 3, b: 2, c: 1 });
  });
});

test('a process whose clock is a day ahead keeps no later state out', async () => {
  let now = new Date(Date.now() + 24 * 3_600_000);
  await using ahead = await startTestService({ now: () => now });
  const device = aDevice();
  const send = async (id: string) => {
    const report = aReport({ device, user: { id } });
    expect(await sendReport(ahead, report)).toMatchObject(ok);
    return (await storedRows(ahead, report)).device!.userId;
  };
  expect(await send('ahead')).toBe('ahead');
  now = new Date();
  expect(await send('by the right clock')).toBe('by the right clock');
});
