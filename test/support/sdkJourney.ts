// An SDK's use of the public API, as tests for a client of any generator: signed uploads, the configuration, refusals.
import path from 'node:path';
import type { components } from '../../generated/openapi.ts';
import type { SdkClient, SdkSettings } from '../consumers/projects/shared/sdkClient.ts';
import type { Sign } from '../consumers/projects/shared/signing.ts';
import { storeCampaign, withinASecond } from './campaigns.ts';
import { generateConsumer, type ConsumerProject } from './consumerProject.ts';
import { loadPublicDocument } from './publicDocument.ts';
import { checkSignatures } from './publicSignatures.ts';
import { startTestService, type TestService } from './testService.ts';
import { aDevice, anEvent, aReport, aSession, signedHeaders, type Signing } from './uploads.ts';

type Schemas = components['schemas'];
type Sdk = SdkClient<
  Schemas['SessionReport'],
  Schemas['AttributionReport'],
  Schemas['StoreTransactionReport'],
  Schemas['CampaignConfig']
>;
interface SdkModule {
  createSdk: (settings: SdkSettings) => Sdk;
}

/** A timeout for generating and compiling on a busy machine; a quiet one takes a few seconds. */
const slow = 600_000;

export interface SdkFiles {
  /** The file with the types of the schemas. */
  types: string;
  /** The other files whose exports an SDK team uses. */
  more: string[];
}

/** Registers the tests of `projects/<name>`, which exports `createSdk` from sdk.ts. */
export function testSdk(name: string, { types, more }: SdkFiles): void {
  let project: ConsumerProject;
  let service: TestService;
  let module: SdkModule;
  beforeAll(async () => {
    project = await generateConsumer(name);
    module = await project.load<SdkModule>('sdk.ts');
    service = await startTestService({ signatureRequired: true });
  }, slow);
  afterAll(async () => {
    await service.stop();
    project.remove();
  });

  const sdk = (sign?: Sign, publicKey = service.application.key.public) =>
    module.createSdk({ baseUrl: service.url, publicKey, sign: sign ?? signing(service) });

  test(
    'compiles in strict mode, and nothing that it exports is an `any`',
    () => {
      const files = [types, ...more, 'sdk.ts'];
      const { errors, anys, seen } = checkSignatures(path.join(project.folder, 'tsconfig.json'), files);
      expect({ errors, anys }).toEqual({ errors: [], anys: [] });
      expect(seen).toBeGreaterThan(100);
    },
    slow,
  );

  test('every schema is a type under its own name, and no type is one of several with a number', async () => {
    const text = project.read(types);
    const isWritten = (schema: string) =>
      new RegExp(`^(export (type|interface|const) ${schema}\\b| {8}${schema}: )`, 'm').test(text);
    const { components } = (await loadPublicDocument()).definition;
    const schemas = Object.keys(components!.schemas!);
    expect(schemas.filter((schema) => !isWritten(schema))).toEqual([]);
    expect(text.match(/^export (type|interface) [A-Z]\w*\d\b/gm)).toBeNull();
  });

  test('a signed upload is stored as it was sent, and once', async () => {
    // Characters beyond ASCII make bytes and characters differ.
    const events = [anEvent({ name: 'Überraschung 🎁' }), anEvent()];
    const report = aReport({ sessions: [aSession({ events })] });
    const stored = await sdk().uploadSessions(report);
    expect(stored).toEqual({ status: 200, revision: expect.stringMatching(/^\S+$/) as string });
    expect(await sdk().uploadSessions(report)).toEqual(stored);
    const { rows } = await service.database.pool.query<{ name: string }>('SELECT name FROM events ORDER BY name');
    expect(rows.map((row) => row.name)).toEqual(events.map((event) => event.name).sort());
  });

  test('attribution and store transactions are stored', async () => {
    const { id } = aDevice();
    const attribution = { store_search_ads: { campaignId: 542_370_539, clickDate: '2026-09-10' }, provider_a: {} };
    const report = { device: { id }, system: { os_version: '17.5.1' }, attribution, custom: { install: [1, null] } };
    expect(await sdk().reportAttribution(report)).toEqual({ status: 200 });
    const transactions = [{ id: '2000000123456789' }];
    expect(await sdk().reportStoreTransactions({ device: { id }, transactions })).toEqual({ status: 200 });
  });

  test('the configuration is fetched once, and not again while it is the same', async () => {
    const { id } = await storeCampaign(service);
    const facts = { platform: 'iOS', appVersion: 2_014_003, country: 'DE' } as const;
    const fetched = async () => {
      const response = await sdk().fetchCampaigns(facts);
      if (response.status !== 200) throw new Error(JSON.stringify(response));
      return response;
    };
    await withinASecond(async () => (await fetched()).config.campaigns.length > 0);
    const { config, tag } = await fetched();
    expect(config.campaigns).toMatchObject([{ id, action: { payload: { text: 'hello' } } }]);
    expect(await sdk().fetchCampaigns(facts, tag!)).toEqual({ status: 304 });
    expect(await sdk().fetchCampaigns(facts, '"another"')).toMatchObject({ status: 200, tag });
    expect(await sdk().uploadSessions(aReport())).toEqual({ status: 200, revision: config.revision });
  });

  test.each<[string, (service: TestService) => Sign]>([
    ['signature_missing', () => () => ({})],
    ['signature_malformed', (place) => (body) => ({ ...signing(place)(body), 'X-Nonce': 'short' })],
    ['signature_mismatch', (place) => () => signing(place)(Buffer.from('{}'))],
    ['timestamp_out_of_window', (place) => signing(place, { timestamp: 1_789_000_000 })],
  ])('403 %s is told apart, with the time of the server', async (reason, sign) => {
    const refused = await sdk(sign(service)).uploadSessions(aReport());
    expect(refused).toEqual({ status: 403, reason, serverTime: expect.closeTo(Date.now() / 1000, -2) as number });
  });

  test('403 nonce_reused is told apart from an upload that is repeated byte for byte', async () => {
    const again = sdk(signing(service, { nonce: 'AAECAwQFBgcICQoLDA0ODw' }));
    const report = aReport();
    expect([await again.uploadSessions(report), await again.uploadSessions(report)]).toMatchObject([
      { status: 200 },
      { status: 200 },
    ]);
    expect(await again.uploadSessions(aReport())).toMatchObject({ status: 403, reason: 'nonce_reused' });
  });

  test('404, 413 and 422 have bodies that an SDK can act on, for each operation', async () => {
    const device = { id: aDevice().id };
    const stranger = sdk(undefined, 'pub_nobody');
    const unknown = { status: 404, detail: 'Application not found' };
    expect(await stranger.uploadSessions(aReport())).toEqual(unknown);
    expect(await stranger.reportStoreTransactions({ device, transactions: [] })).toEqual(unknown);
    expect(await stranger.fetchCampaigns({})).toEqual(unknown);
    const sessions = Array.from({ length: 501 }, () => aSession({ events: [] }));
    expect(await sdk().uploadSessions(aReport({ sessions }))).toEqual({ status: 413, unit: 'sessions', limit: 500 });
    const blank = aReport({ sessions: [aSession({ events: [anEvent(), anEvent({ name: ' ' })] })] });
    expect(await sdk().uploadSessions(blank)).toEqual({ status: 422, paths: ['sessions[0].events[1].name'] });
    expect(await sdk().reportStoreTransactions({ device, transactions: [] })).toEqual({
      status: 422,
      paths: ['transactions'],
    });
    expect(await sdk().fetchCampaigns({ appVersion: 1.5 })).toEqual({ status: 422, paths: ['appVersion'] });
  });
}

/** The tests share one implementation of the signature. */
function signing({ application: { key } }: TestService, options: Signing = {}): Sign {
  return (body) => {
    const headers = signedHeaders(key, Buffer.from(body), options);
    return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'X-Api-Key'));
  };
}
