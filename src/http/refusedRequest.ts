// What a refusal says of a request, as `ingestIssues` counts it: places and rules, and never a value.
import type { AppError, FieldError } from '../platform/errors.ts';
import { isAppError } from '../platform/errors.ts';
import type { Fault } from '../analytics/issues/issueCounts.ts';
import type { Deps } from '../deps.ts';
import type { KeyedApplication } from '../workspace/applicationsStore.ts';
import { answerTo } from './answers.ts';
import type { PublicOperation } from './contract.ts';

/** What a call holds for the count of its refusal. */
export interface Noted {
  operation: PublicOperation;
  deps: Deps;
  /** Once the key is known. */
  application?: KeyedApplication;
  /** Of a body that was read and refused. */
  versions?: Versions;
}

/**
 * Counts the refusal, only for a valid key. A body that is too large is refused before the service looks for its key:
 * `find` does that now.
 */
export function noteRefusal(
  refusal: AppError,
  { operation, deps, application, versions = versionsOf(undefined) }: Noted,
  find: () => Promise<KeyedApplication>,
): void {
  const faults = faultsOf(refusal);
  if (faults.length === 0) return;
  const note = ({ id: applicationId }: KeyedApplication): void =>
    deps.issues.note({ applicationId, operation: operation.id, at: deps.now(), faults, ...versions });
  if (application) note(application);
  else if (refusal.code === 'too_large' && operation.id !== 'receiveStoreNotification')
    find().then(note, () => undefined);
}

/** Empty for what is no fault of the request. */
function faultsOf(refusal: AppError): Fault[] {
  if (isAppError(refusal, 'validation_failed')) return refusal.details.fields.map(faultOf);
  if (isAppError(refusal, 'not_authenticated')) return wholeRequest(refusal, refusal.details.reason);
  if (isAppError(refusal, 'too_large')) return wholeRequest(refusal, refusal.details.unit);
  if (isAppError(refusal, 'unsupported_media_type')) return wholeRequest(refusal, 'media_type');
  return [];
}

function wholeRequest(refusal: AppError, reason: string): Fault[] {
  const { status, body } = answerTo(refusal);
  return [{ status, reason, path: '', message: String((body as { message?: unknown }).message) }];
}

const faultOf = ({ path, message }: FieldError): Fault => ({ status: 422, reason: wordOf(message), path, message });

/** From the beginnings of the messages: of Ajv, bodyCheck.ts, jsonText.ts and unstorableText.ts. */
const words: [RegExp, string][] = [
  [/^is required/, 'required'],
  [/^must not be blank/, 'blank'],
  [/^must be one of|^must be equal to/, 'enum'],
  [/^must be an ISO 8601|^does not have its form/, 'format'],
  [/^must be a JSON object|^is not valid JSON|^is nested deeper/, 'json'],
  [/^must NOT have (more|fewer) than|^must have at least/, 'length'],
  [/^must be [<>]/, 'range'],
  [/^must be (a |an )?(string|number|integer|boolean|object|array|null)/, 'type'],
  [/NUL/, 'text'],
  [/^stands twice/, 'repeated'],
  [/^is reserved/, 'reserved'],
];

function wordOf(message: string): string {
  return words.find(([form]) => form.test(message))?.[1] ?? 'invalid';
}

export interface Versions {
  sdkVersion: number | null;
  appVersion: number | null;
}

/** Of a body that JSON could be read of, whatever else is wrong with it. */
export function versionsOf(body: unknown): Versions {
  const properties = memberOf(memberOf(body, 'device'), 'properties');
  return {
    sdkVersion: versionOf(memberOf(properties, 'sdkVersionNormalized')),
    appVersion: versionOf(memberOf(properties, 'appVersionNormalized')),
  };
}

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Record<string, unknown>)[name] : undefined;
}

/** Only a whole number, as both are: anything else is a value of somebody's own. */
function versionOf(value: unknown): number | null {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
}
