// Versions as people write them, and the whole numbers that devices compare: openapi.yaml, "Version integers".

/** `2.14.3` is 2014003, `17.5` is 17005000. Null for what is no version. test/vectors/versions.json has the cases. */
export function versionNumber(text: string): number | null {
  const parts = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:[-+ ].*)?$/su.exec(text);
  if (!parts) return null;
  const [major, minor, patch] = parts.slice(1, 4).map((part) => Number(part ?? 0)) as [number, number, number];
  const number = major * 1_000_000 + minor * 1_000 + patch;
  return minor < 1_000 && patch < 1_000 && Number.isSafeInteger(number) ? number : null;
}

/** `2.14.3` for 2014003. Below 1000 it is no version that an app has, so the number itself. */
export function versionText(number: number): string {
  if (!Number.isSafeInteger(number) || number < 1_000) return String(number);
  return [Math.floor(number / 1_000_000), Math.floor(number / 1_000) % 1_000, number % 1_000].join('.');
}

/** What is typed for a version: with dots a version, and digits alone the number that devices send. Null for neither. */
export function typedVersion(typed: string): number | null {
  const text = typed.trim();
  if (!/^\d+$/.test(text)) return versionNumber(text);
  return Number.isSafeInteger(Number(text)) ? Number(text) : null;
}

/** What becomes of a typed version, for the line below its field. */
export function versionHint(typed: string): string | undefined {
  const number = typedVersion(typed);
  if (number === null) return undefined;
  if (!/^\d+$/.test(typed.trim())) return `= ${number}`;
  return number < 1_000 ? `the number ${number}; the version is ${number}.0` : `= ${versionText(number)}`;
}
