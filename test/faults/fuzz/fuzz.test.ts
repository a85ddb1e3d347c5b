// Replays the cases that the fuzzers once found, without a database and over HTTP with one.
import { readdirSync } from 'node:fs';
import type { BodyContract, PublicContract } from '../../../src/http/publicContract.ts';
import { projectFile } from '../../../src/platform/projectRoot.ts';
import { loadPublicDocument, type PublicDocument } from '../../support/publicDocument.ts';
import { startTestService, type TestService } from '../../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../../support/testUsers.ts';
import { adminJudge, type AdminJudge } from './admin/judge.ts';
import { memoryAdmin } from './admin/memoryAdmin.ts';
import { readSdl } from './admin/sdl.ts';
import type { AdminCase, PublicCase } from './cases.ts';
import { overHttp } from './exchange.ts';
import { timeoutMillis } from './figures.ts';
import { find } from './hold.ts';
import { memoryPublicApi, soundContract } from './memoryService.ts';
import { publicJudge, type PublicJudge } from './public/judge.ts';
import { type Name, publicCases } from './public/publicCases.ts';
import { knownSchema } from './public/schema.ts';
import { readRegressions } from './regressions.ts';

describe('regressions', () => {
  let service: TestService;
  let exchange: ReturnType<typeof overHttp>;
  let memory: Awaited<ReturnType<typeof memoryAdmin>>;
  let publicJudges: PublicJudge[];
  let adminJudges: AdminJudge[];
  beforeAll(async () => {
    service = await startTestService();
    exchange = overHttp(service.url);
    memory = await memoryAdmin();
    const document = await loadPublicDocument();
    const overSockets = { exchange, key: service.application.key, now: () => new Date() };
    publicJudges = [await memoryPublicApi(), overSockets].map((target) => publicJudge(document, target));
    const organizationId = await organizationOf(service, service.application.id);
    const users: Record<string, TestUser> = {
      viewer: await newUser(service, organizationId, 'viewer'),
      owner: await newUser(service, organizationId, 'owner'),
    };
    const tokenOf = async (as: AdminCase['as']) => users[as]?.token ?? null;
    adminJudges = [memory, { exchange, tokenOf, twice: false }].map((target) => adminJudge(readSdl(), target));
  }, timeoutMillis);
  afterAll(async () => {
    exchange.close();
    await memory.stop();
    await service.stop();
  });

  test('public requests', async () => {
    for (const [name, found] of readRegressions<PublicCase>('public')) {
      for (const judge of publicJudges) await judge(found).catch(named(name));
    }
  });

  test('admin requests', async () => {
    const all = readRegressions<AdminCase>('admin');
    for (const [name, found] of all) {
      for (const judge of adminJudges) await judge(found).catch(named(name));
    }
    expect(all.length).toBeGreaterThan(0);
  });

  const named = (name: string) => (error: Error) => {
    throw new Error(`${name}: ${error.message}`);
  };
});

// Tests the fuzzer: given a service that breaks its contract in one place, it must find that place.
describe('canFail', () => {
  type Report = { device?: { external_id?: unknown }; sessions?: { events?: { name?: unknown }[] }[] };
  type Break = (contract: BodyContract) => Partial<BodyContract>;

  let document: PublicDocument;
  let sound: PublicContract;
  beforeAll(async () => {
    document = await loadPublicDocument();
    sound = await soundContract();
  });

  /** The breaks are in the full reader. Without this, the one-pass reader would take most bodies. */
  const byTheLongWay: Partial<BodyContract> = { readPlain: () => undefined };

  async function findIn(breakage: Break, name: Name): Promise<string> {
    const match: PublicContract['match'] = (method, path) => {
      const operation = sound.match(method, path);
      return operation?.body
        ? { ...operation, body: { ...operation.body, ...byTheLongWay, ...breakage(operation.body) } }
        : operation;
    };
    const judge = publicJudge(document, await memoryPublicApi({ ...sound, match }));
    const found = await find({ cases: publicCases(document)[name], runs: 3_000, judge });
    return found ? `${found.request.operation} ${found.request.change} ${found.why}` : 'nothing';
  }

  const forgiving =
    (change: (report: Report) => void): Break =>
    ({ isValid }) => ({
      isValid(body) {
        const copy = structuredClone(body) as Report;
        change(copy);
        return isValid(copy);
      },
    });

  test('a maxLength that is ignored for one field', async () => {
    const ignoreLength = forgiving(({ device }) => {
      if (typeof device?.external_id === 'string') device.external_id = 'short';
    });
    expect(await findIn(ignoreLength, 'faults')).toMatch(/device\.external_id: too long status 200 instead of 422/);
  });

  test('a field deep in a list that is not looked at', async () => {
    const ignoreNames = forgiving(({ sessions }) => {
      if (!Array.isArray(sessions)) return;
      for (const event of sessions.flatMap((session) => session?.events ?? [])) if (event?.name) event.name = 'Known';
    });
    expect(await findIn(ignoreNames, 'faults')).toMatch(/sessions\[\]\.events\[\].* status 200 instead of 422/);
  });

  test('a reading in one pass that checks nothing', async () => {
    const blind: Break = () => ({
      readPlain(bytes) {
        try {
          return JSON.parse(bytes.toString()) as unknown;
        } catch {
          return undefined;
        }
      },
    });
    expect(await findIn(blind, 'faults')).toMatch(/a failure|instead of 422/);
  });

  test('a fault that is told at another path, and one that is told twice', async () => {
    const renamed: Break = ({ faultsOf }) => ({
      faultsOf(body) {
        const faults = faultsOf(body);
        return {
          ...faults,
          fields: faults.fields.map((field) => ({ ...field, path: field.path.replace('[0]', '.0') })),
        };
      },
    });
    const doubled: Break = ({ faultsOf }) => ({
      faultsOf(body) {
        const faults = faultsOf(body);
        return { ...faults, fields: [...faults.fields, { path: 'sessions', message: 'too' }] };
      },
    });
    expect(await findIn(renamed, 'faults')).toContain('the wrong fields');
    expect(await findIn(doubled, 'faults')).toContain('the wrong fields');
  });

  test('a service that is stricter than its contract', async () => {
    const strict: Break = ({ isValid }) => ({
      isValid: (body) => isValid(body) && !JSON.stringify(body).includes('__proto__'),
    });
    expect(await findIn(strict, 'valid')).toContain('0 fields are not valid');
  });

  test('a failure, and a verdict that changes', async () => {
    const failing: Break = ({ isValid }) => ({
      isValid(body) {
        if (JSON.stringify(body).includes('constructor')) throw new Error('failed');
        return isValid(body);
      },
    });
    let count = 0;
    const fickle: Break = ({ isValid }) => ({ isValid: (body) => isValid(body) && count++ % 2 === 0 });
    expect(await findIn(failing, 'valid')).toContain('a failure');
    expect(await findIn(fickle, 'dictionary')).toMatch(/another verdict the second time|422/);
  });

  test.each([
    [{ type: 'string', contentEncoding: 'base64' }, 'contentEncoding'],
    [{ type: 'string', format: 'uri' }, 'format uri'],
    [
      { type: 'object', properties: { a: { type: 'array', items: { type: 'string' }, uniqueItems: true } } },
      'uniqueItems',
    ],
    [{ oneOf: [{ type: 'number', multipleOf: 2 }] }, 'multipleOf'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'closed object'],
    [{ not: { type: 'null' } }, 'not'],
  ])('a part of a schema that it does not know fails it: %j', (schema, named) => {
    expect(() => knownSchema(schema, 'body')).toThrow(named);
  });

  test('what is found here is not kept as a regression', () => {
    const kept = readdirSync(projectFile('test', 'faults', 'fuzz', 'regressions'));
    expect(kept.filter((name) => !/^(public|admin)-[\w-]+\.json$|^README\.md$/.test(name))).toEqual([]);
  });
});
