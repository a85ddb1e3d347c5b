// Writes what `npm run contract:diff` and `npm run contract:release` print about a comparison.
import type { Comparison } from './contracts.ts';
import { announcesBreak, isLater } from './version.ts';

/** One line for each difference, with a heading that names both versions. */
export function describeChanges({ file, was, is, changes }: Comparison): string[] {
  const lines = changes.map(({ at, what, breaking }) => `  ${breaking ? 'breaking' : 'fine    '}  ${at}: ${what}`);
  return [`${file}: ${was} released, ${is} here`, ...(lines.length > 0 ? lines : ['  nothing has changed'])];
}

/** Null when the contract may be merged. */
export function unannounced({ file, was, is, changes }: Comparison): string | null {
  const count = changes.filter(({ breaking }) => breaking).length;
  if (count === 0 || announcesBreak(was, is)) return null;
  const place = file === 'openapi.yaml' ? '`info.version` of openapi.yaml' : '`version` of package.json';
  return `${file}: ${count} breaking, not announced by ${place}. Undo the change, or raise ${nextBreak(was)}.`;
}

/** Null when the contract may be released. */
export function unreleasable(comparison: Comparison): string | null {
  const { file, was, is, textChanged } = comparison;
  if (!textChanged) return null;
  return unannounced(comparison) ?? (isLater(was, is) ? null : `${file} differs from ${was}: raise its version ${is}.`);
}

function nextBreak(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major === 0 ? `it to 0.${minor + 1}.0` : `it to ${major + 1}.0.0`;
}
