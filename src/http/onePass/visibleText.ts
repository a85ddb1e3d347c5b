// The quick half of the check that a text is not blank, which is asked of each name and id.
import type { Schema } from '../../platform/json/schema.ts';

/** One class of characters that do not count, with nothing around it: any other one is enough. */
const negatedClass = /^\[\^(?:\\.|[^\]\\])+\]$/;
const visible = Array.from({ length: 0x7f - 0x21 }, (_, index) => String.fromCharCode(0x21 + index));

/** Whether the keywords ask for nothing but a character of some kind, and those of ASCII that can be seen are all of it. */
export function asksForVisible({ pattern, ...others }: Schema): boolean {
  if (typeof pattern !== 'string' || Object.keys(others).length > 0 || !negatedClass.test(pattern)) return false;
  const held = new RegExp(pattern, 'u');
  return visible.every((character) => held.test(character));
}

/** Of a code unit or a byte; a text that begins with one has passed. The pattern takes ten times as long. */
export function isVisible(code: number): boolean {
  return code > 0x20 && code < 0x7f;
}
