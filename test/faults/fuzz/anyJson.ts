// Arbitrary JSON, for open objects, which the service stores, and for unknown fields, which it ignores.
import fc from 'fast-check';
import { RawJson } from '../../../src/platform/json/jsonBytes.ts';
import { oddNumbers, oddTexts, unstorableTexts } from './texts.ts';

export const storableText = fc.oneof(
  fc.constantFrom(...oddTexts),
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => text.isWellFormed() && !text.includes('\0')),
);

function json(text: fc.Arbitrary<string>, numbers: readonly string[]): fc.Arbitrary<unknown> {
  const leaf = fc.oneof(
    text,
    fc.constantFrom(...numbers.map((number) => new RawJson(number))),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(null, true, false),
  );
  const list = fc.array(leaf, { maxLength: 3 });
  const members = fc.uniqueArray(fc.tuple(text, fc.oneof(leaf, list)), { maxLength: 3, selector: ([name]) => name });
  const object = members.map((entries) => Object.fromEntries(entries));
  return fc.oneof({ weight: 3, arbitrary: leaf }, list, object);
}

const finiteNumbers = oddNumbers.filter((number) => Number.isFinite(Number(number)));

/** The service stores it as text, so numbers may have any size. */
export const storableJson = json(storableText, oddNumbers);
export const finiteJson = json(storableText, finiteNumbers);
export const anyJson = json(fc.oneof(storableText, fc.constantFrom(...unstorableTexts)), oddNumbers);
