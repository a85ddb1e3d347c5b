// From the bytes of a body to a value that has passed the contract: inflate, read, count, check.
import { AppError } from '../platform/errors.ts';
import type { BodyContract } from './contract.ts';
import { maxFields } from './fieldPath.ts';
import { readJson, withExactIntegers } from './jsonText.ts';
import { inflateBody, type ContentEncoding } from './requestBody.ts';
import { unstorableText } from './unstorableText.ts';

export interface ReadBody {
  value: unknown;
  text: string;
}

/** Throws `too_large` or `validation_failed`; a count over its limit wins over every field. */
export async function readBody(contract: BodyContract, bytes: Buffer, encoding: ContentEncoding): Promise<ReadBody> {
  const inflated = await inflateBody(bytes, encoding);
  const { value, fields: unreadable } = readJson(inflated);
  if (unreadable) throw new AppError('validation_failed', { fields: unreadable });
  const faults = contract.isValid(value) ? null : contract.faultsOf(value);
  if (faults?.overLimit) throw new AppError('too_large', faults.overLimit);
  const text = inflated.toString('utf8');
  const fields = [...(faults?.fields ?? []), ...unstorableText(text, value, contract.schema)];
  if (faults || fields.length > 0) throw new AppError('validation_failed', { fields: fields.slice(0, maxFields) });
  return { value: withExactIntegers(text, value), text };
}
