// Reads the action of a campaign edit: what the app is to do, with a payload that the service passes on as it is.
import type { CampaignActionInput } from '../../generated/graphql.ts';
import type { EveryField } from '../platform/everyField.ts';
import { readExactName, readWholeNumber, type InputRules } from '../platform/inputRules.ts';
import { writtenBytes } from '../platform/json/writtenBytes.ts';
import type { StoredAction } from './campaignRecord.ts';

/** As PostgreSQL writes it, without white space. */
const largestPayload = 65_536;
const deadlines = { least: 1, most: 86_400 };

type Fields = 'type' | 'payload' | 'blocking' | 'deadlineSeconds';

export function readAction(
  rules: InputRules,
  path: string,
  input: EveryField<CampaignActionInput, Record<Fields, true>>,
): StoredAction {
  const type = readExactName(rules, `${path}.type`, input.type);
  const payload = input.payload ?? null;
  checkPayload(rules, `${path}.payload`, payload);
  const blocking = input.blocking ?? false;
  const deadlineSeconds = readWholeNumber(rules, `${path}.deadlineSeconds`, {
    value: input.deadlineSeconds,
    ...deadlines,
  });
  if (!blocking && deadlineSeconds !== null) rules.refuse(`${path}.deadlineSeconds`, 'is for a blocking action only');
  return { type, payload, blocking, deadlineSeconds };
}

/** The scalar has bounded its depth and refused text that cannot be stored. */
function checkPayload(rules: InputRules, path: string, payload: unknown): void {
  if (writtenBytes(payload) > largestPayload) {
    rules.refuse(path, `must have at most ${largestPayload} bytes as JSON with its numbers written out`);
  } else if (hasChangedNumber(payload)) {
    rules.refuse(path, 'must not hold whole numbers beyond 2^53-1; send them as text');
  }
}

/** A whole number beyond 2^53-1 may be another one than was sent, and it would change again in each client in JavaScript. */
function hasChangedNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasChangedNumber);
}
