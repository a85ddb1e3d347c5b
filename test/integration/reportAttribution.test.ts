// POST /api/v1/attribution: what it stores, and how much of it.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { latestAttribution } from '../../src/attribution/reportAttribution.ts';
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findDevice } from '../../src/devices/device.ts';
import { holdLock } from '../support/heldLock.ts';
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice, aReport } from '../support/uploads.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// POST /api/v1/attribution: stored as given, once, and the latest of each provider is readable.
describe('reportAttribution', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  const ok = { status: 200, body: {} };
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    service.client.send('reportAttribution', { 'X-Api-Key': service.application.key.public, ...headers }, body);
  const latest = async (deviceId: string, applicationId = service.application.id) => {
    const key = deviceKey(applicationId, deviceId);
    const rows = await latestAttribution(service.database.pool, { deviceKey: key, bytes: 1_000_000 });
    return rows.map(({ bytes: _bytes, ...row }) => row);
  };
  const text = (id: string, attribution: string, rest = '') =>
    Buffer.from(`{"device":{"id":"${id}"},"system":{"os_version":"17.5.1"},"attribution":${attribution}${rest}}`);
  const reports = (deviceId: string) => service.database.prisma.attributionReport.findMany({ where: { deviceId } });

  test('payloads stay as they were sent, to the digit', async () => {
    const id = randomUUID();
    const providerA = '{"big":123456789012345678901234567890, "exact": 1.10, "e":1E2, "deep":{"é":[null,true]}}';
    const search = '{"orgId":9007199254740993,"campaignId":1,"clickDate":"2024-02-29","extra":{"kept":-0.0}}';
    const custom = '{"__proto__":{"a":1},"n":18446744073709551615}';
    const body = text(
      id,
      `{"provider_a":${providerA},"store_search_ads":${search},"other":{"x":1}}`,
      `,"custom":${custom}`,
    );
    expect(await send(body)).toMatchObject(ok);
    expect(await latest(id)).toMatchObject([
      { provider: 'provider_a', payload: providerA },
      { provider: 'store_search_ads', payload: search },
      { provider: 'custom', payload: custom },
    ]);
  });

  test.each([
    '2026-09-09',
    '2026-09-09T17:17Z',
    '2026-09-09T17:17:05.123456789+0200',
    '2026-02-30',
    '09/09/2026',
    '',
    'x'.repeat(8_193),
  ])('a payload of a third party is kept whatever form its texts have: a click at %j', async (clickDate) => {
    const id = randomUUID();
    const search = JSON.stringify({ orgId: 1, clickDate, conversionType: clickDate, countryOrRegion: clickDate });
    expect(await send(text(id, `{"provider_a":{"v":1},"store_search_ads":${search}}`))).toMatchObject(ok);
    expect(await latest(id)).toMatchObject([{ payload: '{"v":1}' }, { provider: 'store_search_ads', payload: search }]);
  });

  test('every listed field of it may be null', async () => {
    const id = randomUUID();
    const names = [
      'orgId',
      'campaignId',
      'conversionType',
      'clickDate',
      'adGroupId',
      'countryOrRegion',
      'keywordId',
      'adId',
    ];
    const search = JSON.stringify(Object.fromEntries(names.map((name) => [name, null])));
    expect(await send(text(id, `{"store_search_ads":${search}}`))).toMatchObject(ok);
    expect(await latest(id)).toMatchObject([{ provider: 'store_search_ads', payload: search }]);
  });

  test('reports are appended, an identical one is stored once, also 30 times at once', async () => {
    const id = randomUUID();
    const body = text(id, '{"provider_b":{"a":1}}');
    const responses = await Promise.all(Array.from({ length: 30 }, () => send(body)));
    expect(responses.map(({ status }) => status)).toEqual(Array(30).fill(200));
    expect(await reports(id)).toHaveLength(1);
    await send(text(id, '{"provider_b":{"a":2}}'));
    expect(await reports(id)).toHaveLength(2);
  });

  test('a report that comes again is the latest again: organic, partner, organic is organic', async () => {
    const id = randomUUID();
    for (const from of ['organic', 'partner', 'organic']) await send(text(id, `{"provider_a":{"from":"${from}"}}`));
    expect(await latest(id)).toMatchObject([{ payload: '{"from":"organic"}' }]);
    expect(await reports(id)).toHaveLength(2);
    const [device] = await findDevice(service.database.pool, {
      key: deviceKey(service.application.id, id),
      bytes: 1_000,
    });
    const lastArrival = (await latest(id))[0]!.receivedAt;
    const arrivals = (await reports(id)).map(({ receivedAt }) => receivedAt.getTime());
    expect(device).toMatchObject({ firstSeenAt: new Date(Math.min(...arrivals)), lastSeenAt: lastArrival });
    expect(lastArrival.getTime()).toBeGreaterThan(Math.max(...arrivals));
  });

  test('the latest payload of each provider counts, and an unused provider replaces nothing', async () => {
    const id = randomUUID();
    await send(text(id, '{"provider_a":{"v":1},"provider_b":{"v":1}}'));
    await send(text(id, '{"provider_a":{"v":2},"provider_b":{}}'));
    await send(text(id, '{"provider_a":null}', ',"custom":null'));
    expect(await latest(id)).toMatchObject([
      { provider: 'provider_a', payload: '{"v":2}' },
      { provider: 'provider_b', payload: '{"v":1}' },
    ]);
  });

  test('a device is first and last seen by whatever came from it', async () => {
    const id = randomUUID();
    const received = async () =>
      (await reports(id)).map(({ receivedAt }) => receivedAt).sort((a, b) => Number(a) - Number(b));
    await send(text(id, '{"provider_a":{"v":1}}'));
    await sendReport(service, aReport({ device: aDevice(id) }));
    await send(text(id, '{"provider_a":{"v":2}}'));
    const [firstSeenAt, lastSeenAt] = await received();
    const search = { key: deviceKey(service.application.id, id), bytes: 1_000_000 };
    expect(await findDevice(service.database.pool, search)).toMatchObject([{ firstSeenAt, lastSeenAt }]);
  });

  test('a device of another application with the same id has its own', async () => {
    const id = randomUUID();
    const other = await service.newApplication();
    await send(text(id, '{"provider_a":{"v":1}}'));
    await send(text(id, '{"provider_a":{"v":2}}'), { 'X-Api-Key': other.key.public });
    expect(await latest(id)).toMatchObject([{ payload: '{"v":1}' }]);
    expect(await latest(id, other.id)).toMatchObject([{ payload: '{"v":2}' }]);
  });

  describe('422', () => {
    const base = { device: { id: 'd' }, system: { os_version: '17' }, attribution: {} };
    test.each<[string, unknown, string[]]>([
      ['nothing', {}, ['attribution', 'device', 'system']],
      ['a blank device id', { ...base, device: { id: ' ' } }, ['device.id']],
      ['a null external id', { ...base, device: { id: 'd', external_id: null } }, ['device.external_id']],
      ['no os version', { ...base, system: {} }, ['system.os_version']],
      ['a provider that is no object', { ...base, attribution: { provider_a: [] } }, ['attribution.provider_a']],
      ['custom that is no object', { ...base, custom: 'x' }, ['custom']],
      ['NUL in a kept value', { ...base, custom: { a: { b: ['\0'] } } }, ['custom.a.b[0]']],
      [
        'NUL in a kept key',
        { ...base, attribution: { provider_b: { 'a\0': 1 } } },
        ['attribution.provider_b["a\\u0000"]'],
      ],
    ])('%s', async (_, body, expected) => {
      const response = await send(body);
      expect(response.status).toBe(422);
      expect((response.body as { fields: { path: string }[] }).fields.map(({ path }) => path).sort()).toEqual(expected);
    });

    test.each<[string, unknown]>([
      ...['orgId', 'campaignId', 'adGroupId', 'keywordId', 'adId'].flatMap((name): [string, unknown][] => [
        [name, '1'],
        [name, [1]],
      ]),
      ['conversionType', 1],
      ['countryOrRegion', true],
      ['clickDate', 1_788_970_000],
      ['clickDate', {}],
    ])('store_search_ads.%s %p', async (name, value) => {
      const response = await send({ ...base, attribution: { store_search_ads: { [name]: value } } });
      expect(response).toMatchObject({
        status: 422,
        body: { fields: [{ path: `attribution.store_search_ads.${name}` }] },
      });
    });

    test('NUL outside of what is kept is ignored', async () => {
      expect(await send({ ...base, other: '\0', attribution: { other: '\0' } })).toMatchObject(ok);
    });
  });

  test('the other refusals: key, size, media type', async () => {
    expect((await service.client.send('reportAttribution', {}, {})).status).toBe(404);
    expect((await send(Buffer.alloc(2 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await send(Buffer.from('{}'), { 'Content-Type': 'text/plain' })).status).toBe(415);
  });

  test('large reports that wait for the database leave uploads their room', async () => {
    const held = await holdLock(service.database.pool, 'LOCK TABLE attribution_reports IN SHARE MODE');
    const long = `"x":"${'x'.repeat(1_900_000)}"`;
    const sent = ['a', 'b'].map((id) => send(text(id, '{"provider_a":{"a":1}}', `,${long}`)));
    await held.waiting(2);
    const headers = { 'X-Api-Key': service.application.key.public };
    expect((await service.client.send('reportSessions', headers, aReport())).status).toBe(200);
    await held.release();
    expect((await Promise.all(sent)).map(({ status }) => status)).toEqual([200, 200]);
  });

  test('failures of our own are 500 and 503', async () => {
    const failingWith = async (error: Error) => {
      const fails = () => Promise.reject(error);
      // On a cluster a report is stored in a transaction.
      const pool = { query: fails, connect: fails } as never;
      await using broken = await startTestService({ change: (deps) => ({ ...deps, pool }) });
      const headers = { 'X-Api-Key': broken.application.key.public };
      const response = await broken.client.send('reportAttribution', headers, text('d', '{}'));
      return response.status;
    };
    expect(await failingWith(new Error('unexpected'))).toBe(500);
    expect(await failingWith(Object.assign(new Error('gone'), { code: '57P01' }))).toBe(503);
  });
});

// 65,536 bytes are stored of each attribution payload: openapi.yaml, "Limits".
describe('reportAttribution: limits', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await shared.withNewApplication();
  });

  const ok = { status: 200, body: {} };
  const send = (body: unknown, headers: Record<string, string> = {}) =>
    service.client.send('reportAttribution', { 'X-Api-Key': service.application.key.public, ...headers }, body);
  const text = (id: string, attribution: string, rest = '') =>
    Buffer.from(`{"device":{"id":"${id}"},"system":{"os_version":"17.5.1"},"attribution":${attribution}${rest}}`);
  const reports = (deviceId: string) => service.database.prisma.attributionReport.findMany({ where: { deviceId } });
  const stored = async (deviceId: string) => {
    const columns = 'provider_a::text, store_search_ads::text, provider_b::text, custom::text';
    const { rows } = await service.database.pool.query<Record<string, string | null>>(
      `SELECT ${columns} FROM attribution_reports WHERE device_id = $1`,
      [deviceId],
    );
    return rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, payload]) => payload !== null)));
  };

  const most = 65_536;
  const paths = {
    provider_a: 'attribution.provider_a',
    store_search_ads: 'attribution.store_search_ads',
    provider_b: 'attribution.provider_b',
    custom: 'custom',
  };
  type Provider = keyof typeof paths;
  const providers = Object.keys(paths) as Provider[];
  const withPayload = (id: string, provider: Provider, payload: string) =>
    provider === 'custom'
      ? text(id, '{}', `,"custom":${payload}`)
      : text(
          id,
          JSON.stringify({ [provider]: null }).replace('null', () => payload),
        );
  /** `unit` repeated in a text, then filled to the exact length. */
  const payloadOf = (bytes: number, unit = 'x') => {
    const room = bytes - '{"p":""}'.length;
    const filled = unit.repeat(Math.floor(room / Buffer.byteLength(unit)));
    return `{"p":"${filled}${'x'.repeat(room - Buffer.byteLength(filled))}"}`;
  };

  test.each(providers)('%s: as many are stored, one more is 422 at its path and stores nothing', async (provider) => {
    const id = randomUUID();
    const refused = await send(withPayload(id, provider, payloadOf(most + 1)));
    const message = 'must have at most 65,536 bytes of JSON text in UTF-8';
    expect(refused).toMatchObject({ status: 422, body: { fields: [{ path: paths[provider], message }] } });
    expect(await reports(id)).toEqual([]);
    expect(await send(withPayload(id, provider, payloadOf(most)))).toMatchObject(ok);
    expect(await stored(id)).toEqual([{ [provider]: payloadOf(most) }]);
  });

  test('bytes of UTF-8 are counted, and neither characters nor what an escape stands for', async () => {
    const id = randomUUID();
    expect((await send(withPayload(id, 'custom', payloadOf(most + 1, '🚀')))).status).toBe(422);
    expect(await send(withPayload(id, 'custom', payloadOf(most, '🚀')))).toMatchObject(ok);
    expect((await send(withPayload(id, 'custom', payloadOf(most + 1, String.raw`\u00e9`)))).status).toBe(422);
    expect(await send(withPayload(id, 'custom', payloadOf(most, String.raw`\u00e9`)))).toMatchObject(ok);
  });

  test('white space inside a payload counts, since it is stored, and that of an empty one does not', async () => {
    const [space, id] = [' '.repeat(most), randomUUID()];
    expect(await send(withPayload(id, 'provider_a', `{${space}"a":1}`))).toMatchObject({
      status: 422,
      body: { fields: [{ path: 'attribution.provider_a' }] },
    });
    expect(await send(text(id, `{"provider_a":{${space}},"provider_b":{"a":1}}${space}`))).toMatchObject(ok);
    expect(await stored(id)).toEqual([{ provider_b: '{"a":1}' }]);
  });

  test('every long payload is named, beside the other fields at fault; what is not stored may be long', async () => {
    const long = payloadOf(most + 1);
    const all = `{"provider_a":${long},"store_search_ads":${long},"provider_b":${long},"other":${long}}`;
    const body = `{"device":{"id":" "},"system":{"os_version":"17"},"attribution":${all},"custom":${long},"other":${long}}`;
    const { status, body: refusal } = await send(Buffer.from(body));
    expect(status).toBe(422);
    const named = (refusal as { fields: { path: string }[] }).fields.map(({ path }) => path);
    expect(named.sort()).toEqual([...Object.values(paths), 'device.id'].sort());
    const id = randomUUID();
    expect(await send(text(id, `{"other":${long},"provider_b":{"a":1}}`, `,"other":${long}`))).toMatchObject(ok);
  });

  test('a payload inflated from a few bytes is refused as well', async () => {
    const id = randomUUID();
    const body = gzipSync(withPayload(id, 'custom', payloadOf(500_000)));
    expect(await send(body, { 'Content-Encoding': 'gzip' })).toMatchObject({ status: 422 });
    expect(await reports(id)).toEqual([]);
  });
});
