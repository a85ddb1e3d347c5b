// The reference SDK after a 422: it takes out exactly what `fields` names, sends the rest again, and keeps the other.
import { fieldsOf, partOf } from '../tools/demo/sdk/refusedPart.ts';
import { startSdk, type SdkRig } from '../support/sdkRig.ts';

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
  rig.server.answer(path, Array<number>(times).fill(422));
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
  rig.server.answer(path, [503, 422]);
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
  rig.server.answer(path, [422]);
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
