// Two built processes in production share the quotas of an application: what a public key alone can store on their database.
import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createEncryption } from '../../src/platform/encryption.ts';
import { createDurableDatabase } from '../support/durablePostgres.ts';
import { testKey } from '../support/keys.ts';
import { readMetrics, valueOf } from '../support/metricsText.ts';
import { productionEnv } from '../support/productionEnv.ts';
import { clearAway, runBuilt, startService, type RunningService } from '../support/serviceProcess.ts';
import type { TestDatabase } from '../support/testDatabase.ts';
import { createApplication } from '../support/testWorkspace.ts';
import { aDevice, aReport, signedHeaders } from '../support/uploads.ts';

const mebi = 1_048_576;
let database: TestDatabase;
beforeAll(async () => {
  database = await createDurableDatabase();
});
afterAll(async () => {
  await clearAway();
  await database.drop();
});

/** 240 kB that gzip makes 400 bytes of. */
function attribution(): Buffer {
  const text = { text: randomUUID() + 'x'.repeat(60_000) };
  const attribution = { provider_a: text, provider_b: text, store_search_ads: text };
  const body = { device: { id: randomUUID() }, system: { os_version: '1' }, attribution, custom: text };
  return gzipSync(JSON.stringify(body));
}

test('a flood at both stores one quota and a little more, and signed uploads go on', async () => {
  const env = { ...productionEnv, DATABASE_URL: database.url, HOST: '127.0.0.1', QUOTA_MIB_PER_HOUR: '8' };
  expect(await runBuilt('src/programs/migrate.js', env).ended).toMatchObject({ code: 0 });
  const { key, id } = await createApplication(database.prisma, createEncryption(testKey('encryption')));
  const services = await Promise.all([startService(env), startService(env)]);
  const post = (url: string, headers: Record<string, string>, body: Buffer) =>
    fetch(url, { method: 'POST', headers, body: new Uint8Array(body) });
  const headers = { 'X-Api-Key': key.public, 'Content-Encoding': 'gzip' };
  const flood = async (service: RunningService): Promise<void> => {
    for (let sent = 0, refused = 0; refused < 5 && sent < 60; sent += 1)
      if ((await post(`${service.url}/api/v1/attribution`, headers, attribution())).status === 503) refused += 1;
  };
  await Promise.all(services.flatMap((service) => [flood(service), flood(service), flood(service)]));

  const { rows } = await database.pool.query<{ bytes: string }>(
    'SELECT sum(length(provider_a::text)) * 4 AS bytes FROM attribution_reports WHERE application_id = $1',
    [id],
  );
  expect(Number(rows[0]!.bytes)).toBeGreaterThan(7 * mebi);
  // Beside a 64th for each process, six bodies may be under way while a process settles.
  expect(Number(rows[0]!.bytes)).toBeLessThan(8 * mebi * (1 + 2 / 64) + 6 * 241_000);
  for (const service of services) {
    const body = Buffer.from(JSON.stringify(aReport({ device: aDevice() })));
    expect((await post(`${service.url}/api/v1/session`, signedHeaders(key, body), body)).status).toBe(200);
    const metrics = readMetrics(await (await fetch(`${service.opsUrl}/metrics`)).text());
    const labels = { operation: 'reportAttribution', unit: 'bytes' };
    expect(valueOf(metrics, 'ingest_quota_refusals_total', labels)).toBeGreaterThan(4);
  }
});
