// Makes checks of the reference SDK from the vectors in test/vectors, with one function for each file.
import { readdirSync, readFileSync } from 'node:fs';
import type { components } from '../../../generated/openapi.ts';
import { conditionHolds, type Condition, type Primitive } from '../demo/sdk/campaigns/conditions.ts';
import { evaluate, type Situation } from '../demo/sdk/campaigns/evaluate.ts';
import { isWithinCaps, withoutFuture, type Moment, type Show } from '../demo/sdk/campaigns/frequency.ts';
import { isScheduled } from '../demo/sdk/campaigns/schedule.ts';
import { isTargeted, type DeviceFacts } from '../demo/sdk/campaigns/targeting.ts';
import { backoffMillis } from '../demo/sdk/backoff.ts';
import { normalizedVersion } from '../demo/sdk/normalizedVersion.ts';
import { partOf, type RefusedPart } from '../demo/sdk/refusedPart.ts';
import { recommendedSettings } from '../demo/sdk/settings.ts';
import { signatureOf } from '../../../src/platform/signature.ts';
import { projectFile } from '../../../src/platform/projectRoot.ts';

type Schemas = components['schemas'];
type Properties = Record<string, Primitive>;

export interface VectorFile<Vector = object, Defaults = unknown> {
  description: string;
  defaults: Defaults;
  vectors: (Vector & { name: string })[];
}

export interface SignatureVector {
  secretKey: string;
  publicKey: string;
  timestamp: string;
  nonce: string;
  bodyBase64: string;
  signature: string;
}

export interface PathVector {
  operation: 'reportSessions' | 'reportAttribution' | 'reportStoreTransactions';
  body: string;
  paths: string[];
}

/** One vector, with a function that gives the reference SDK's result. */
export interface SdkVector {
  file: string;
  name: string;
  expected: unknown;
  result(): unknown;
}

const folder = 'test/vectors';

export function vectorFiles(): string[] {
  return readdirSync(projectFile(folder)).filter((name) => name.endsWith('.json'));
}

export function loadVectors<Vector, Defaults = undefined>(file: string): VectorFile<Vector, Defaults> {
  return JSON.parse(readFileSync(projectFile(`${folder}/${file}`), 'utf8')) as VectorFile<Vector, Defaults>;
}

/** The vectors of all files except paths.json, which concerns the server. */
export function sdkVectors(): SdkVector[] {
  return [
    ...conditions(),
    ...targeting(),
    ...frequency(),
    ...schedule(),
    ...evaluation(),
    ...signature(),
    ...versions(),
    ...takeOut(),
    ...backoff(),
  ];
}

const mapOf = (properties: Properties) => new Map(Object.entries(properties));

function checksOf<Vector, Defaults = undefined>(
  file: string,
  check: (vector: Vector, defaults: Defaults) => Pick<SdkVector, 'expected' | 'result'>,
): SdkVector[] {
  const { defaults, vectors } = loadVectors<Vector, Defaults>(file);
  return vectors.map((vector) => ({ file, name: vector.name, ...check(vector, defaults) }));
}

function conditions(): SdkVector[] {
  type Vector = { actual?: Primitive; condition: Condition; holds: boolean };
  return checksOf<Vector>('conditions.json', ({ actual, condition, holds }) => ({
    expected: holds,
    result: () => conditionHolds(condition, actual),
  }));
}

function targeting(): SdkVector[] {
  interface Inputs {
    targeting: Schemas['CampaignTargeting'];
    device: DeviceFacts;
    userProperties: Properties;
  }
  type Vector = { [Name in keyof Inputs]?: Partial<Inputs[Name]> } & { matches: boolean };
  return checksOf<Vector, Inputs>('targeting.json', (vector, defaults) => ({
    expected: vector.matches,
    result: () => {
      const properties = (vector.userProperties as Properties | undefined) ?? defaults.userProperties;
      const facts = { ...defaults.device, ...vector.device };
      return isTargeted({ ...defaults.targeting, ...vector.targeting }, facts, mapOf(properties));
    },
  }));
}

function frequency(): SdkVector[] {
  type Inputs = Moment & { frequency: Schemas['CampaignFrequency']; shows: Omit<Show, 'campaignId'>[] };
  return checksOf<Partial<Inputs> & { passes: boolean }, Inputs>(
    'frequency.json',
    ({ passes, ...inputs }, defaults) => ({
      expected: passes,
      result: () => {
        const { shows, ...moment } = { ...defaults, ...inputs };
        const own = shows.map((show) => ({ ...show, campaignId: 'c' }));
        return isWithinCaps({ ...defaults.frequency, ...inputs.frequency }, withoutFuture(own, moment.now), moment);
      },
    }),
  );
}

function schedule(): SdkVector[] {
  type Vector = { schedule: Schemas['CampaignSchedule']; now: number; passes: boolean };
  return checksOf<Vector>('schedule.json', (vector) => ({
    expected: vector.passes,
    result: () => isScheduled(vector.schedule, vector.now),
  }));
}

function evaluation(): SdkVector[] {
  type Inputs = Omit<Situation, 'campaigns' | 'userProperties'> & { userProperties: Properties };
  interface Outcome {
    campaigns: Partial<Schemas['Campaign']>[];
    activated: string | null;
    showsAfter: Show[];
  }
  type Defaults = Inputs & { campaign: Schemas['Campaign'] };
  return checksOf<Partial<Inputs> & Outcome, Defaults>('evaluation.json', (vector, { campaign, ...given }) => {
    const { activated, showsAfter, ...inputs } = vector;
    return {
      expected: [activated, showsAfter],
      result: () => {
        const situation = { ...given, ...inputs };
        const campaigns = inputs.campaigns.map((fields) => ({ ...campaign, ...fields }));
        const decision = evaluate({ ...situation, campaigns, userProperties: mapOf(situation.userProperties) });
        return [decision.campaign?.id ?? null, decision.shows];
      },
    };
  });
}

function signature(): SdkVector[] {
  return checksOf<SignatureVector>('signature.json', ({ secretKey, bodyBase64, signature: expected, ...parts }) => ({
    expected,
    result: () => signatureOf(secretKey, { ...parts, body: Buffer.from(bodyBase64, 'base64') }),
  }));
}

function versions(): SdkVector[] {
  type Vector = { version: string; normalized: number | null };
  return checksOf<Vector>('versions.json', ({ version, normalized }) => ({
    expected: normalized,
    result: () => normalizedVersion(version),
  }));
}

function takeOut(): SdkVector[] {
  return checksOf<{ path: string; part: RefusedPart }>('takeOut.json', ({ path, part }) => ({
    expected: part,
    result: () => partOf(path),
  }));
}

function backoff(): SdkVector[] {
  type Vector = { failures: number; random: number; retryAfterSeconds: number; waitSeconds: number };
  return checksOf<Vector>('backoff.json', ({ failures, random, retryAfterSeconds, waitSeconds }) => {
    const failed = { attempt: failures, random, retryAfterMillis: retryAfterSeconds * 1_000 };
    return { expected: waitSeconds, result: () => backoffMillis(failed, recommendedSettings.retry) / 1_000 };
  });
}
