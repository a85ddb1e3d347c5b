// From the bytes of a body to a value that has passed the contract: inflates, parses, counts and checks.
import { setImmediate } from 'node:timers/promises';
import { AppError, isAppError, type FieldError } from '../platform/errors.ts';
import { withExactIntegers } from '../platform/json/exactIntegers.ts';
import { maxFields } from '../platform/json/fieldPath.ts';
import { readJson } from '../platform/json/jsonText.ts';
import { unstorableText } from '../platform/json/unstorableText.ts';
import type { InTurn } from '../platform/turns.ts';
import type { BodyContract } from './contract.ts';
import { inflateBody } from './requestBody.ts';
import { sentForm, type CompressedForm, type ContentEncoding } from './sentForm.ts';

export interface ReadBody {
  value: unknown;
  /** The JSON of `value`. */
  bytes: Buffer;
}

export interface SentBody {
  bytes: Buffer;
  encoding: ContentEncoding;
  /** After inflating. Absent: the limit of all bodies. */
  maxBytes?: number | undefined;
  /** The turns in which the service reads bodies of this kind that take long. */
  inTurn: InTurn;
  /** Throws after the client has got its response: the body is not read then. */
  assertAwaited: () => void;
  /** Called with the parsed JSON, before it is checked. */
  onValue: (value: unknown) => void;
}

/** Throws `too_large` when a count is over its limit, before any check of fields; `validation_failed` otherwise. */
export async function readBody(contract: BodyContract, sent: SentBody): Promise<ReadBody> {
  const { bytes, encoding, maxBytes, inTurn, assertAwaited, onValue } = sent;
  const form = sentForm(bytes, encoding);
  assertAwaited();
  const short = await inflateShort(bytes, form);
  if (short) {
    const read = readUsual(contract, short, onValue);
    if (read) return read;
  }
  return inTurn(async () => {
    assertAwaited();
    const inflated = short ?? (form === 'plain' ? bytes : await inflateBody(bytes, form, maxBytes));
    // The end of one such body begins the next: without this, all that wait would be read before any other socket.
    await setImmediate();
    assertAwaited();
    return readAnyJson(contract, inflated, onValue);
  });
}

/** Inflating so much takes less than 1 ms, and so does reading it in one pass. */
const shortBytes = 64 * 1024;
/** Reading so much in the slow way takes about 1 ms, whatever stands in it. */
const quickBytes = 8 * 1024;

/** Null for a longer body. */
async function inflateShort(bytes: Buffer, form: CompressedForm | 'plain'): Promise<Buffer | null> {
  if (bytes.length > shortBytes) return null;
  if (form === 'plain') return bytes;
  return inflateBody(bytes, form, shortBytes).catch((error: unknown) => {
    if (isAppError(error, 'too_large')) return null;
    throw error;
  });
}

/** Null for a body that must wait for a turn: an attacker may queue those. */
function readUsual(contract: BodyContract, inflated: Buffer, onValue: SentBody['onValue']): ReadBody | null {
  const plain = contract.readPlain(inflated);
  if (plain !== undefined) {
    onValue(plain);
    return { value: plain, bytes: inflated };
  }
  return inflated.length <= quickBytes ? readAnyJson(contract, inflated, onValue) : null;
}

/** The slow way, for a body that one pass does not read. It finds every fault. */
function readAnyJson(contract: BodyContract, inflated: Buffer, onValue: SentBody['onValue']): ReadBody {
  const reading = readJson(inflated, contract);
  if (reading.fields) {
    // A client can send a smaller batch. What else is wrong with this one would take too long to find.
    if (reading.tooManyValues) throw new AppError('too_large', { unit: 'values', limit: contract.maxValues });
    throw new AppError('validation_failed', { fields: reading.fields });
  }
  onValue(reading.value);
  const { value, text, longIntegers, repeatedKeys } = reading;
  const faults = contract.isValid(value) ? null : contract.faultsOf(value);
  if (faults?.overLimit) throw new AppError('too_large', faults.overLimit);
  const unstorable = [
    ...unstorableText(text, value, contract.schema),
    ...contract.overlongObjects(text, inflated.length),
  ];
  const known = [...(faults?.fields ?? []), ...unstorable];
  const fields = onePerPath([...repeatedKeys(), ...known]);
  if (faults || fields.length > 0) throw new AppError('validation_failed', { fields: fields.slice(0, maxFields) });
  return {
    value: withExactIntegers({ bytes: inflated, value, longIntegers, schema: contract.schema }),
    bytes: inflated,
  };
}

function onePerPath(fields: FieldError[]): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const field of fields) if (!byPath.has(field.path)) byPath.set(field.path, field);
  return [...byPath.values()];
}
