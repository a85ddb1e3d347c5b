// Cuts objects out of a JSON text as they were sent, to the byte.
import { visit } from 'jsonc-parser';
import { fieldPath } from './fieldPath.ts';

/**
 * The texts of the objects at these paths (`attribution.provider_a`), by their path. Of a repeated key the last object
 * counts. `text` is valid JSON. Cutting them from a tree of the whole text took 4 s for 8 MiB.
 */
export function objectTexts(text: string, paths: readonly string[]): Map<string, string> {
  const texts = new Map<string, string>();
  let end: ((endOffset: number) => void) | null = null;
  visit(text, {
    // Without onArrayEnd the library never leaves a skipped array, and visits nothing after it.
    onArrayBegin: () => false,
    onArrayEnd: () => undefined,
    onObjectBegin(...[start, , , , pathOf]) {
      const path = fieldPath(pathOf());
      if (path === '' || paths.some((wanted) => wanted.startsWith(`${path}.`))) return true;
      if (paths.includes(path)) end = (endOffset) => texts.set(path, text.slice(start, endOffset));
      return false;
    },
    onObjectEnd(offset, length) {
      end?.(offset + length);
      end = null;
    },
  });
  return texts;
}
