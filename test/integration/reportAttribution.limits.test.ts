// 65,536 bytes are stored of each attribution payload: openapi.yaml, "Limits".
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

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
