// The variables that purchases and jobs add to the configuration.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '../../src/config.ts';
import { mintChain } from '../tools/demo/fakeStore/certificates.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { createStoreFinder } from '../../src/purchases/storeOpener.ts';
import { readRootCertificates } from '../../src/purchases/rootCertificates.ts';
import { productionEnv } from '../support/productionEnv.ts';

test('defaults: all roles, the store itself, ten calls per second', () => {
  expect(readConfig({})).toMatchObject({ role: 'all', storeRootCertificates: [], storeCallsPerSecond: 10 });
  expect(readConfig({}).storeApiUrl).toBeUndefined();
  const given = { STORE_ROOT_CERTIFICATES: ' a.pem, b.cer ,', STORE_API_URL: 'http://127.0.0.1:9/x/', ROLE: 'worker' };
  expect(readConfig(given)).toMatchObject({
    role: 'worker',
    storeRootCertificates: ['a.pem', 'b.cer'],
    storeApiUrl: 'http://127.0.0.1:9/x',
  });
});

test('another store is refused in production, and wrong values anywhere', () => {
  expect(() => readConfig({ NODE_ENV: 'production', STORE_API_URL: 'https://example.com' })).toThrow(
    'STORE_API_URL: is for tests and refused in production',
  );
  expect(() => readConfig({ STORE_API_URL: 'example.com' })).toThrow('STORE_API_URL');
  expect(() => readConfig({ STORE_CALLS_PER_SECOND: '0' })).toThrow('STORE_CALLS_PER_SECOND');
});

test('the stand-in of a demo is looked for outside production only, and only where no other store is configured', () => {
  expect(readConfig({ DATA_DIR: '/data' }).demoStoreFile).toBe('/data/demo-store.json');
  expect(readConfig({ STORE_ROOT_CERTIFICATES: 'a.pem' }).demoStoreFile).toBeUndefined();
  expect(readConfig({ STORE_API_URL: 'http://127.0.0.1:9' }).demoStoreFile).toBeUndefined();
  expect(readConfig(productionEnv).demoStoreFile).toBeUndefined();
});

test('root certificates are read from PEM and DER; unusable files refuse the start, and missing ones do not', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-roots-'));
  const file = (name: string, content: string | Buffer) => {
    writeFileSync(path.join(folder, name), content);
    return path.join(folder, name);
  };
  const [one, two] = await Promise.all([mintChain(), mintChain()]);
  const der = [one, two].map(({ x5c }) => Buffer.from(x5c[2], 'base64'));
  const both = file('both.pem', `${one.rootPem}\n${two.rootPem}\n`);
  const read = { certificates: [der[0], der[1], der[0]], missing: [] as string[] };
  expect(await readRootCertificates([both, file('one.cer', der[0]!)])).toEqual(read);
  const leaf = file('leaf.cer', Buffer.from(one.x5c[0], 'base64'));
  const missing = path.join(folder, 'missing.pem');
  expect(await readRootCertificates([missing])).toEqual({ certificates: [], missing: [missing] });
  const reading = readRootCertificates([leaf, both, missing, file('text.pem', 'none')]);
  await expect(reading).rejects.toThrow(/^[^\n]+\n.*leaf\.cer.*no certificate authority\n.*text\.pem[^\n]*$/);
  const lines: object[] = [];
  // A log each: one alone would count the second missing file as a repetition of the first.
  const newLog = () => createLog('warn', { write: (line) => void lines.push(JSON.parse(line) as object) });
  const find = (storeRootCertificates: string[]) =>
    createStoreFinder({ storeRootCertificates, storeApiUrl: undefined }, { log: newLog(), findStandIn: null });
  // What a missing root has signed would otherwise be FAILED, for good.
  for (const files of [[both, missing], [missing], []]) expect(await (await find(files))()).toBeNull();
  const text = 'no root certificates of the store: store transactions wait';
  expect(lines).toMatchObject([[missing], [missing], []].map((each) => ({ level: 'warn', missing: each, msg: text })));
  expect(await (await find([both]))()).toMatchObject({ rootCertificates: [der[0], der[1]] });
  rmSync(folder, { recursive: true });
});
