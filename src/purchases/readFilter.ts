// A filter by text that the lists of purchases share.
import type { InputRules } from '../platform/inputRules.ts';

/** The text is compared whole. Null and absent give null. */
export function readFilter(rules: InputRules, path: string, value: string | null | undefined): string | null {
  if (value === '') rules.refuse(path, 'must not be empty');
  return value == null ? null : rules.text(path, value, 256);
}
