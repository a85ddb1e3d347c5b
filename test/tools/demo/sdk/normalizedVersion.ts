// The recommended encoding of versions as comparable integers: openapi.yaml, "Version integers".

/**
 * `2.14.3` becomes 2014003. Missing parts count 0, further parts and everything from the first `-`, `+` or space on do
 * not count. Null for what has no such integer: no number at the beginning, minor or patch above 999.
 */
export function normalizedVersion(text: string): number | null {
  const match = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:[-+ ].*)?$/su.exec(text);
  if (!match) return null;
  const [major, minor, patch] = match.slice(1, 4).map((part) => Number(part ?? 0)) as [number, number, number];
  const version = major * 1_000_000 + minor * 1_000 + patch;
  return minor < 1_000 && patch < 1_000 && Number.isSafeInteger(version) ? version : null;
}
