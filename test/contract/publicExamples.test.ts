// SDK developers copy the examples of openapi.yaml: each must be a request or a response of the service.
import { randomBytes, X509Certificate } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { OpenAPIV3 } from 'openapi-types';
import type { Deps } from '../../src/deps.ts';
import { loadPublicContract, type PublicContract } from '../../src/http/publicContract.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { type Config, storeCampaign } from '../support/campaigns.ts';
import type { ContractResponse } from '../support/contractClient.ts';
import { loadPublicDocument, type PublicDocument } from '../support/publicDocument.ts';
import { requestExamples, responseExamples } from '../support/publicExamples.ts';
import { ok, sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { json, signedHeaders } from '../support/uploads.ts';
import { type Chain, mintChain } from '../tools/demo/fakeStore/certificates.ts';
import { signNotification } from '../tools/demo/fakeStore/notifications.ts';

describe('publicExamples', () => {
  let document: PublicDocument;
  let contract: PublicContract;
  let service: TestService;
  beforeAll(async () => {
    document = await loadPublicDocument();
    contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
    service = await startTestService();
  });
  afterAll(() => service.stop());

  test('every operation with a body has examples of it', () => {
    const withBody = document.getOperations().filter(({ requestBody }) => requestBody);
    const named = new Set(requestExamples(document).map(({ operationId }) => operationId));
    expect([...named].sort()).toEqual(withBody.map(({ operationId }) => operationId).sort());
  });

  test('every response with a body has an example', () => {
    const shown = new Set(responseExamples(document).map(({ operationId, status }) => `${operationId} ${status}`));
    const documented = document.getOperations().flatMap(({ operationId, responses }) =>
      Object.entries(responses)
        .filter(([, response]) => 'content' in response)
        .map(([status]) => `${operationId} ${status}`),
    );
    expect(documented.filter((result) => !shown.has(result))).toEqual([]);
    expect(documented.length).toBeGreaterThan(20);
  });

  test('every example of a request passes the check of bodies', () => {
    const faults = requestExamples(document).map(({ method, path, name, value }) => {
      const { body } = contract.match(method.toUpperCase(), path)!;
      const { fields, overLimit } = body!.faultsOf(value);
      return { name, valid: body!.isValid(value), fields, overLimit };
    });
    for (const fault of faults) expect(fault).toMatchObject({ valid: true, fields: [], overLimit: null });
    expect(faults.length).toBeGreaterThan(5);
  });

  test('every example of a response has the shape that is documented for its status', () => {
    const examples = responseExamples(document);
    for (const { operationId, status, name, value } of examples) {
      const { valid, errors } = document.validateResponse(value, document.getOperation(operationId)!, status);
      expect({ operationId, name, valid, errors }).toMatchObject({ valid: true });
    }
  });

  test('the status inside the example of an error is the one it is documented for', () => {
    const errors = responseExamples(document).filter(({ status, value }) => status >= 400 && 'error' in Object(value));
    for (const { status, value } of errors) expect(value).toMatchObject({ status });
    expect(errors.length).toBeGreaterThan(15);
  });

  test('all examples of uploads, sent one after the other and again, are stored', async () => {
    const uploads = requestExamples(document).filter(({ operationId }) => operationId === 'reportSessions');
    for (const { value } of [...uploads, ...uploads]) expect(await sendReport(service, value)).toMatchObject(ok);
    const { prisma } = service.database;
    const sent = uploads.map(
      ({ value }) => value as { device: { id: string }; sessions: { id: string; events?: [] }[] },
    );
    const devices = new Set(sent.map(({ device }) => device.id));
    const sessions = new Set(sent.flatMap((report) => report.sessions.map(({ id }) => `${report.device.id} ${id}`)));
    const events = sent.flatMap((report) => report.sessions.flatMap((session) => session.events ?? []));
    expect(await prisma.device.count()).toBe(devices.size);
    expect(await prisma.session.count()).toBe(sessions.size);
    expect(await prisma.event.count()).toBe(events.length);
  });
});

// For every example response in openapi.yaml, a request must exist to which the running service responds with it, word by word.
describe('publicExamples.responses', () => {
  type Json = Record<string, unknown>;

  /** Changes to a valid request, and to the service, that provoke the response of an example. */
  interface Provocation {
    body?: (good: Json) => unknown;
    /** The bytes on the wire, if they are not the JSON of the body. */
    wire?: (body: Buffer) => Buffer;
    headers?: (signed: Record<string, string>) => Record<string, string | undefined>;
    query?: string;
    before?: (send: () => Promise<ContractResponse>) => Promise<unknown>;
    failure?: Error;
  }

  /** The time of all examples. */
  const now = new Date(1_789_000_000_000);
  let failure: Error | null = null;
  let document: PublicDocument;
  let service: TestService;
  let chain: Chain;
  beforeAll(async () => {
    document = await loadPublicDocument();
    chain = await mintChain();
    const rootCertificates = [new X509Certificate(chain.rootPem).raw];
    const findStore = async () => ({ rootCertificates, apiUrl: undefined });
    service = await startTestService({ signatureRequired: true, now: () => now, change: mayFail, findStore });
  });
  afterAll(() => service.stop());

  function mayFail(deps: Deps): Deps {
    const find: Deps['applications']['find'] = async (key) => {
      if (failure) throw failure;
      return deps.applications.find(key);
    };
    const { storeNotifications } = deps;
    const findNotified: Deps['storeNotifications']['find'] = async (id) => {
      if (failure) throw failure;
      return storeNotifications.find(id);
    };
    return {
      ...deps,
      applications: { ...deps.applications, find },
      storeNotifications: { ...storeNotifications, find: findNotified },
    };
  }

  /** A copy with the value at a path of names and indexes; undefined removes the member. */
  function withValue(good: unknown, [key, ...rest]: (string | number)[], value: unknown): Json {
    const copy = (Array.isArray(good) ? [...(good as unknown[])] : { ...(good as Json) }) as Json;
    copy[key!] = rest.length > 0 ? withValue(copy[key!], rest, value) : value;
    return copy;
  }
  const event = ['sessions', 0, 'events'];
  const filled = (length: number, one: unknown) => Array.from({ length }, () => one);

  /** By the examples' names in openapi.yaml; the same name is the same mistake in every operation. */
  const provocations: Record<string, Provocation> = {
    accepted: {},
    applicationNotFound: { headers: (signed) => ({ ...signed, 'X-Api-Key': 'unknown' }) },
    signatureMissing: { headers: ({ 'X-Api-Key': key }) => ({ 'X-Api-Key': key }) },
    signatureMalformed: { headers: (signed) => ({ ...signed, 'X-Nonce': 'short' }) },
    signatureMismatch: { headers: (signed) => ({ ...signed, 'X-Signature': `v1=${'0'.repeat(64)}` }) },
    timestampOutOfWindow: { before: async () => (skewSeconds = 86_500) },
    nonceReused: {
      before: (send) => send(),
      body: (good) => withValue(good, ['later'], Math.random()),
    },
    bytes: { wire: () => Buffer.alloc(2_097_153, ' ') },
    inflatedBytes: {
      wire: () =>
        gzipSync(Buffer.concat([Buffer.alloc(8_388_609, ' '), Buffer.from(randomBytes(50_000).toString('hex'))])),
      headers: encoded('gzip'),
    },
    inflation: { wire: () => gzipSync(Buffer.alloc(1_000_000, ' ')), headers: encoded('gzip') },
    values: { body: (good) => ({ ...good, unread: filled(100_000, 1) }) },
    sessions: { body: (good) => ({ ...good, sessions: filled(501, (good['sessions'] as unknown[])[0]) }) },
    events: { body: (good) => withValue(good, event, filled(5_001, {})) },
    transactions: { body: (good) => ({ ...good, transactions: filled(501, { id: '1' }) }) },
    mediaType: { headers: (signed) => ({ ...signed, 'Content-Type': 'text/plain' }) },
    encoding: { headers: encoded('br') },
    notJson: { wire: () => Buffer.from('sessions=1') },
    blankEventName: { body: (good) => withValue(good, [...event, 1, 'name'], ' ') },
    reservedName: { body: (good) => withValue(good, [...event, 0, 'type'], 'custom') },
    severalFields: {
      body: (good) => {
        const params = [...filled(2, { name: 'a', value: 1 }), { name: 'a', value: null }];
        const noPlatform = withValue(good, ['device', 'properties', 'platform'], undefined);
        return withValue(withValue(noPlatform, ['sessions', 0, 'startDate'], 'now'), [...event, 0, 'params'], params);
      },
    },
    invalidAttribution: {
      body: (good) => withValue({ ...good, system: {} }, ['attribution', 'store_search_ads', 'campaignId'], '1'),
    },
    noTransactions: { body: (good) => ({ ...good, transactions: [] }) },
    blankTransactionId: { body: (good) => withValue(good, ['transactions', 0, 'id'], ' ') },
    invalidQuery: { query: '?appVersion=3.2.1' },
    internalError: { failure: new Error('for this test') },
    unavailable: { failure: Object.assign(new Error('for this test'), { code: 'ECONNREFUSED' }) },
    notificationBytes: { wire: () => Buffer.alloc(262_145, ' ') },
    notVerified: { body: () => ({ signedPayload: 'x.y.z' }) },
    noCampaigns: {},
    twoCampaigns: { before: storeShownCampaigns },
  };

  function encoded(encoding: string): Provocation['headers'] {
    return (signed) => ({ ...signed, 'Content-Encoding': encoding });
  }

  let skewSeconds = 0;
  let application: TestService['application'];
  beforeEach(async () => {
    skewSeconds = 0;
    failure = null;
    application = await service.newApplication();
  });

  async function ask(
    operationId: string,
    { body, wire, headers, query, failure: planned }: Provocation,
    nonce?: string,
  ) {
    const example = requestExamples(document).find((example) => example.operationId === operationId)?.value as Json;
    const good = operationId === 'receiveStoreNotification' ? await signedExample() : example;
    const asJson = json((body ?? ((same) => same))(good ?? {}));
    const bytes = (wire ?? ((same: Buffer) => same))(asJson);
    const timestamp = now.getTime() / 1000 - skewSeconds;
    const signed =
      operationId === 'reportSessions'
        ? signedHeaders(application.key, bytes, { timestamp, ...(nonce && { nonce }) })
        : { 'X-Api-Key': application.key.public };
    const sent = Object.entries({ 'Content-Type': 'application/json', ...(headers ?? ((same) => same))(signed) });
    failure = planned ?? null;
    const given = Object.fromEntries(sent.filter(([, value]) => value !== undefined)) as Record<string, string>;
    if (document.getOperation(operationId)!.method === 'get') return service.client.get(operationId, given, query);
    return service.client.send(
      operationId,
      given,
      bytes,
      given['X-Api-Key'] === 'unknown' ? 'unknown' : application.id,
    );
  }

  /** The example with a signature. */
  async function signedExample(): Promise<Json> {
    const { prisma } = service.database;
    const { bundleId } = await prisma.application.findUniqueOrThrow({ where: { id: application.id } });
    return { signedPayload: signNotification({ type: 'TEST', bundleId }, chain).signedPayload };
  }

  /** Creates the campaigns that the example's response contains. */
  async function storeShownCampaigns(): Promise<void> {
    const { campaigns } = responseExamples(document).find(({ name }) => name === 'twoCampaigns')!.value as Config;
    for (const { name, priority, trigger, targeting, frequency, schedule, action } of campaigns) {
      const [startAt, endAt] = [schedule.startAt, schedule.endAt].map((text) =>
        text === null ? null : new Date(text),
      );
      const content = { name, priority, trigger, targeting, frequency, action } as Parameters<typeof storeCampaign>[1];
      const state = startAt! > now ? 'SCHEDULED' : 'ACTIVE';
      await storeCampaign({ ...service, application }, { ...content, state, startAt: startAt!, endAt: endAt! }, now);
    }
  }

  /** Removes what no example can predict: ids and revisions are random, and versions count edits. */
  function withoutChance(body: unknown): unknown {
    const { revision, fields, campaigns, ...rest } = body as Json & Partial<Config> & { fields?: { path: string }[] };
    return {
      ...rest,
      ...(revision !== undefined && { revision: typeof revision }),
      ...(fields && { fields: [...fields].sort((one, other) => (one.path < other.path ? -1 : 1)) }),
      ...(campaigns && { campaigns: campaigns.map((campaign) => ({ ...campaign, id: 'random', version: 0 })) }),
    };
  }

  test('every example has a request that asks for it', () => {
    const names = new Set(responseExamples(document).map(({ name }) => name));
    expect([...names].sort()).toEqual(Object.keys(provocations).sort());
  });

  test('every example is what the service responds', async () => {
    const given: unknown[] = [];
    const expected: unknown[] = [];
    for (const { operationId, status, name, value } of responseExamples(document)) {
      application = await service.newApplication();
      skewSeconds = 0;
      const provocation = provocations[name]!;
      const nonce = name === 'nonceReused' ? 'AAECAwQFBgcICQoLDA0ODw' : undefined;
      await provocation.before?.(() => ask(operationId, {}, nonce));
      const result = await ask(operationId, provocation, nonce);
      given.push({ operationId, name, status: result.status, body: withoutChance(result.body) });
      expected.push({ operationId, name, status, body: withoutChance(value) });
    }
    expect(given).toEqual(expected);
  });

  test('every example of a request gets 200, and 304 where the device holds the response', async () => {
    for (const { operationId, value } of requestExamples(document)) {
      if (operationId === 'receiveStoreNotification') continue;
      expect(await ask(operationId, { body: () => value })).toMatchObject({ status: 200, body: {} });
    }
    const { parameters } = document.getOperation('getCampaigns')!;
    const query = (parameters as OpenAPIV3.ParameterObject[]).filter((parameter) => parameter.in === 'query');
    const facts = query.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
    const url = `?${facts.join('&')}`;
    const held = await ask('getCampaigns', { query: url });
    expect(held.status).toBe(200);
    const tag = held.headers['etag'];
    const again = await ask('getCampaigns', { query: url, headers: (key) => ({ ...key, 'If-None-Match': tag }) });
    expect(again.status).toBe(304);
    expect(facts).toHaveLength(6);
  });
});
