// From the bytes of a body to a value that has passed the contract: inflates, parses, counts and checks.
import { AppError, isAppError, type FieldError } from '../platform/errors.ts';
import { withExactIntegers } from '../platform/json/exactIntegers.ts';
import { maxFields } from '../platform/json/fieldPath.ts';
import { readJson, type JsonRefusal } from '../platform/json/jsonText.ts';
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
  /** The turns in which the service inflates long bodies of this kind. */
  inTurn: InTurn;
  /** Throws after the client has got its response: the body is not read then. */
  assertAwaited: () => void;
  /** Called with the parsed JSON, before it is checked. */
  onValue: (value: unknown) => void;
}

/** Throws `too_large` when a count is over its limit, before any check of fields; `validation_failed` otherwise. */
export async function readBody(contract: BodyContract, sent: SentBody): Promise<ReadBody> {
  const { bytes, encoding, maxBytes, inTurn, assertAwaited, onValue } = sent;
  const read = (plain: Buffer): ReadBody => {
    assertAwaited();
    return readInflated(contract, plain, onValue);
  };
  const form = sentForm(bytes, encoding);
  if (form === 'plain') return read(bytes);
  assertAwaited();
  const small = await inflateSmall(bytes, form);
  if (small) return read(small);
  return inTurn(async () => {
    assertAwaited();
    return read(await inflateBody(bytes, form, maxBytes));
  });
}

/** A turn is for long bodies, which an attacker may queue. A usual body needs none: inflating it takes less than 1 ms. */
const smallBytes = 64 * 1024;

async function inflateSmall(bytes: Buffer, form: CompressedForm): Promise<Buffer | null> {
  if (bytes.length > smallBytes) return null;
  return inflateBody(bytes, form, smallBytes).catch((error: unknown) => {
    if (isAppError(error, 'too_large')) return null;
    throw error;
  });
}

function readInflated(contract: BodyContract, inflated: Buffer, onValue: SentBody['onValue']): ReadBody {
  const plain = contract.readPlain(inflated);
  if (plain === undefined) return readAnyJson(contract, inflated, onValue);
  onValue(plain);
  return { value: plain, bytes: inflated };
}

/** The slow way, for a body that one pass does not read. It finds every fault. */
function readAnyJson(contract: BodyContract, inflated: Buffer, onValue: SentBody['onValue']): ReadBody {
  const reading = readJson(inflated, contract);
  if (reading.fields) throw unreadable(contract, reading);
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

/** A body of too many parts may have a count over its limit, which its client can mend: it sends a smaller batch. */
function unreadable(contract: BodyContract, { fields, beginning }: JsonRefusal): AppError {
  const overLimit = beginning === undefined ? null : contract.faultsOf(beginning).overLimit;
  return overLimit ? new AppError('too_large', overLimit) : new AppError('validation_failed', { fields });
}

function onePerPath(fields: FieldError[]): FieldError[] {
  const byPath = new Map<string, FieldError>();
  for (const field of fields) if (!byPath.has(field.path)) byPath.set(field.path, field);
  return [...byPath.values()];
}
