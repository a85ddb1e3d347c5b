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
    const untouched = await upload(device, { id: 'x' }, { at: 2 });
    expect(untouched.device).toMatchObject({ userId: 'x', userProperties: { a: 1, b: 2, c: 2 } });
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

  test('uploads of one device that share a transaction end in the state of the newest', async () => {
    const device = aDevice();
    const now = Math.floor(Date.now() / 1000);
    const bodies = Array.from({ length: 20 }, (_, i) => {
      const user = { lastSyncTS: 1, properties: [property('latest', i), property(`own-${i}`, i)] };
      return { body: json(aReport({ device, user })), timestamp: now + i };
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

test('a process whose clock is a day ahead keeps later states out for no longer than a signature may be ahead', async () => {
  const started = Date.now();
  let now = new Date(started + 24 * 3_600_000);
  await using ahead = await startTestService({ now: () => now });
  const device = aDevice();
  const send = async (id: string) => {
    const report = aReport({ device, user: { id } });
    expect(await sendReport(ahead, report)).toMatchObject(ok);
    return (await storedRows(ahead, report)).device!.userId;
  };
  expect(await send('ahead')).toBe('ahead');
  now = new Date(started + 4 * 60_000);
  expect(await send('within five minutes')).toBe('ahead');
  now = new Date(started + 6 * 60_000);
  expect(await send('after five minutes')).toBe('after five minutes');
});
