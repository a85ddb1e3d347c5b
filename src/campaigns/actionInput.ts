// Reads the action of a campaign edit: the kind of action, and a payload that the service passes on unchanged.
import type { CampaignActionInput } from '../../generated/graphql.ts';
import type { EveryField } from '../platform/everyField.ts';
import { readExactName, readWholeNumber, type InputRules } from '../platform/inputRules.ts';
import { writtenBytes } from '../platform/json/writtenBytes.ts';
import type { StoredAction } from './campaignRecord.ts';

/** Bytes of the text that PostgreSQL writes, without white space. */
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

/** The JSON scalar has already bounded the depth and refused text that cannot be stored. */
function checkPayload(rules: InputRules, path: string, payload: unknown): void {
  if (writtenBytes(payload) > largestPayload) {
    rules.refuse(path, `must have at most ${largestPayload} bytes as JSON with its numbers written out`);
  } else if (hasChangedNumber(payload)) {
    rules.refuse(path, 'must not hold whole numbers beyond 2^53-1; send them as text');
  }
}

/** Reading has rounded a whole number above 2^53-1, and each client in JavaScript would round it again. */
function hasChangedNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasChangedNumber);
}
