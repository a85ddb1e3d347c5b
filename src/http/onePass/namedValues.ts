// Lists of named values are half of an upload: each is read as the one JSON object that is stored of it, with no value in between.
import { byteOf } from '../../platform/json/jsonSigns.ts';
import type { JsonSlice } from '../../platform/json/jsonSlice.ts';
import type { Schema } from '../../platform/json/schema.ts';
import { notRead, type JsonCursor } from './jsonCursor.ts';
import { leftToAjv } from './leftToAjv.ts';
import { asksForVisible, isVisible } from './visibleText.ts';

export interface NamedValues {
  mostItems: number;
  name: Schema;
  value: Schema;
}

/** Null for a list of anything else, and where more is asked than this reading checks. */
export function namedValuesOf(list: Schema): NamedValues | null {
  const { items = {}, maxItems: mostItems = Infinity } = list;
  const { name, value, ...others } = items.properties ?? {};
  if (!name || !value || Object.keys(others).length > 0) return null;
  const isOptional = [list, items, name, value].some(({ nullable }) => nullable === true) || list['minItems'];
  const required = [...((items['required'] as string[] | undefined) ?? [])].sort();
  const isWhole = items.type === 'object' && String(required) === 'name,value' && !isOptional;
  const areOfType = name.type === 'string' && String(value.type) === 'string,number,boolean';
  const isChecked = [list, items, value].every((part) => Object.keys(leftToAjv(part)).length === 0);
  return isWhole && areOfType && isChecked && asksForVisible(leftToAjv(name)) ? { mostItems, name, value } : null;
}

const keys = { name: Buffer.from('"name"'), value: Buffer.from('"value"') };

/**
 * Of two values of one name both are written, and `jsonb` keeps the last. A string is written as it was sent, escapes
 * included, and a number as JSON.stringify does.
 */
export class NamedValuesReader {
  readonly #mostItems: number;
  readonly #nameLength: number;
  readonly #valueLength: number;
  readonly #isName: (name: unknown) => boolean;

  /** `isName` is the whole check of a name. */
  constructor({ mostItems, name, value }: NamedValues, isName: (name: unknown) => boolean) {
    this.#mostItems = mostItems;
    this.#nameLength = Number(name['maxLength'] ?? Infinity);
    this.#valueLength = Number(value['maxLength'] ?? Infinity);
    this.#isName = isName;
  }

  read(cursor: JsonCursor): JsonSlice {
    const { written } = cursor;
    let items = 0;
    written.byte(byteOf.openBrace);
    for (
      let more = cursor.open(byteOf.openBracket, byteOf.closeBracket);
      more;
      more = cursor.more(byteOf.closeBracket)
    ) {
      if (items++ > 0) written.byte(byteOf.comma);
      this.#readItem(cursor);
    }
    if (items > this.#mostItems) throw notRead;
    written.byte(byteOf.closeBrace);
    return written.slice();
  }

  #readItem(cursor: JsonCursor): void {
    let nameAt = 0;
    let nameEnd = 0;
    let valueAt = 0;
    let valueEnd = 0;
    let otherValue: string | null = null;
    for (let more = cursor.open(byteOf.openBrace, byteOf.closeBrace); more; more = cursor.more(byteOf.closeBrace)) {
      const at = cursor.nextAt();
      if (nameEnd === 0 && cursor.isAt(at, keys.name)) {
        nameAt = cursor.toValue(at + keys.name.length);
        this.#passName(cursor);
        nameEnd = cursor.at;
      } else if (valueEnd === 0 && cursor.isAt(at, keys.value)) {
        valueAt = cursor.toValue(at + keys.value.length);
        otherValue = this.#passValue(cursor);
        valueEnd = cursor.at;
      } else throw notRead;
    }
    if (nameEnd === 0 || valueEnd === 0) throw notRead;
    const { bytes, written } = cursor;
    written.copy(bytes, nameAt, nameEnd);
    written.byte(byteOf.colon);
    if (otherValue === null) written.copy(bytes, valueAt, valueEnd);
    else written.ascii(otherValue);
  }

  #passName(cursor: JsonCursor): void {
    const start = cursor.nextAt() + 1;
    const other = cursor.passString(this.#nameLength);
    const end = cursor.at - 1;
    if (other === null && end > start && isVisible(cursor.bytes[start]!)) return;
    if (!this.#isName(other ?? cursor.bytes.toString('latin1', start, end))) throw notRead;
  }

  /** What is to be written where that is not what stands there. */
  #passValue(cursor: JsonCursor): string | null {
    const start = cursor.nextAt();
    const first = cursor.bytes[start];
    if (first === byteOf.quote) cursor.passString(this.#valueLength);
    else if (first === byteOf.t || first === byteOf.f) cursor.boolean();
    else {
      const number = cursor.number();
      return areDigits(cursor.bytes, start, cursor.at) ? null : String(number);
    }
    return null;
  }
}

function areDigits(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at]! < byteOf.zero || bytes[at]! > byteOf.nine) return false;
  return true;
}
