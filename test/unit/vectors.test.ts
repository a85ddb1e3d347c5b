// The vectors that other SDK teams run, against the reference SDK and against the service.
import { readdirSync, readFileSync } from 'node:fs';
import type { components } from '../../generated/openapi.ts';
import { conditionHolds, type Condition, type Primitive } from '../../src/demo/sdk/campaigns/conditions.ts';
import { evaluate, type Situation } from '../../src/demo/sdk/campaigns/evaluate.ts';
import { isWithinCaps, withoutFuture, type Moment, type Show } from '../../src/demo/sdk/campaigns/frequency.ts';
import { isScheduled } from '../../src/demo/sdk/campaigns/schedule.ts';
import { isTargeted, type DeviceFacts } from '../../src/demo/sdk/campaigns/targeting.ts';
import { normalizedVersion } from '../../src/demo/sdk/normalizedVersion.ts';
import { loadPublicContract } from '../../src/http/contract.ts';
import { operations } from '../../src/http/operations.ts';
import { readBody } from '../../src/http/readBody.ts';
import { signatureOf } from '../../src/http/signature.ts';
import { isAppError } from '../../src/platform/errors.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';

type Schemas = components['schemas'];
type Named = { name: string };
type Properties = Record<string, Primitive>;

const folder = 'test/vectors';

function load<Vector, Defaults = undefined>(file: string) {
  const text = readFileSync(projectFile(`${folder}/${file}`), 'utf8');
  return JSON.parse(text) as { description: string; defaults: Defaults; vectors: (Named & Vector)[] };
}

const mapOf = (properties: Properties) => new Map(Object.entries(properties));

describe('conditions', () => {
  const { vectors } = load<{ actual?: Primitive; condition: Condition; holds: boolean }>('conditions.json');
  test.each(vectors)('$name', ({ actual, condition, holds }) => {
    expect(conditionHolds(condition, actual)).toBe(holds);
  });
});

describe('targeting', () => {
  interface Inputs {
    targeting: Schemas['CampaignTargeting'];
    device: DeviceFacts;
    userProperties: Properties;
  }
  type Vector = { [Name in keyof Inputs]?: Partial<Inputs[Name]> } & { matches: boolean };
  const { defaults, vectors } = load<Vector, Inputs>('targeting.json');
  test.each(vectors)('$name', ({ targeting, device, userProperties, matches }) => {
    const properties = (userProperties as Properties | undefined) ?? defaults.userProperties;
    const facts = { ...defaults.device, ...device };
    expect(isTargeted({ ...defaults.targeting, ...targeting }, facts, mapOf(properties))).toBe(matches);
  });
});

describe('frequency', () => {
  type Inputs = Moment & { frequency: Schemas['CampaignFrequency']; shows: Omit<Show, 'campaignId'>[] };
  const { defaults, vectors } = load<Partial<Inputs> & { passes: boolean }, Inputs>('frequency.json');
  test.each(vectors)('$name', ({ passes, ...inputs }) => {
    const { shows, ...moment } = { ...defaults, ...inputs };
    const log = withoutFuture(
      shows.map((show) => ({ ...show, campaignId: 'c' })),
      moment.now,
    );
    expect(isWithinCaps({ ...defaults.frequency, ...inputs.frequency }, log, moment)).toBe(passes);
  });
});

describe('schedule', () => {
  type Vector = { schedule: Schemas['CampaignSchedule']; now: number; passes: boolean };
  test.each(load<Vector>('schedule.json').vectors)('$name', ({ schedule, now, passes }) => {
    expect(isScheduled(schedule, now)).toBe(passes);
  });
});

describe('evaluation', () => {
  type Inputs = Omit<Situation, 'campaigns' | 'userProperties'> & { userProperties: Properties };
  interface Outcome {
    campaigns: Partial<Schemas['Campaign']>[];
    activated: string | null;
    showsAfter: Show[];
  }
  type Defaults = Inputs & { campaign: Schemas['Campaign'] };
  const { defaults, vectors } = load<Partial<Inputs> & Outcome, Defaults>('evaluation.json');
  test.each(vectors)('$name', ({ activated, showsAfter, ...inputs }) => {
    const { campaign, ...given } = defaults;
    const situation = { ...given, ...inputs };
    const campaigns = inputs.campaigns.map((fields) => ({ ...campaign, ...fields }));
    const decision = evaluate({ ...situation, campaigns, userProperties: mapOf(situation.userProperties) });
    expect([decision.campaign?.id ?? null, decision.shows]).toEqual([activated, showsAfter]);
  });
});

describe('signature', () => {
  type Vector = Record<'secretKey' | 'publicKey' | 'timestamp' | 'nonce' | 'bodyBase64' | 'signature', string>;
  test.each(load<Vector>('signature.json').vectors)('$name', ({ secretKey, bodyBase64, signature, ...parts }) => {
    expect(signatureOf(secretKey, { ...parts, body: Buffer.from(bodyBase64, 'base64') })).toBe(signature);
  });
});

describe('paths', () => {
  const { vectors } = load<{ operation: string; body: string; paths: string[] }>('paths.json');
  test.each(vectors)('$name', async ({ operation, body, paths }) => {
    const contract = await loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
    const routes = { reportSessions: 'session', reportAttribution: 'attribution', reportStoreTransactions: 'tm/store' };
    const { body: schema } = contract.match('POST', `/api/v1/${routes[operation as keyof typeof routes]}`)!;
    const found = await readBody(schema!, {
      bytes: Buffer.from(body),
      encoding: 'identity',
      onValue: () => undefined,
    }).then(
      () => [],
      (error: unknown) => {
        if (!isAppError(error, 'validation_failed')) throw error;
        return error.details.fields.map(({ path }) => path).sort();
      },
    );
    expect(found).toEqual(paths);
  });
});

describe('versions', () => {
  type Vector = { version: string; normalized: number | null };
  test.each(load<Vector>('versions.json').vectors)('$name', ({ version, normalized }) => {
    expect(normalizedVersion(version)).toBe(normalized);
  });
});

test('each file says what it is, and no two vectors of it bear one name', () => {
  const files = readdirSync(projectFile(folder)).filter((name) => name.endsWith('.json'));
  expect(files.length).toBe(8);
  for (const file of files) {
    const { description, vectors } = load(file);
    expect(description.length).toBeGreaterThan(40);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
  }
});
