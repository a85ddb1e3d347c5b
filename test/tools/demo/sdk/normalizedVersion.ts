// Encodes a version as a comparable integer, in the recommended way: openapi.yaml, "Version integers".

/**
 * `2.14.3` becomes 2014003. A missing part counts 0. A fourth part, and everything from the first `-`, `+` or space on,
 * does not count. Null when the text does not begin with a number, or when minor or patch is above 999.
 */
export function normalizedVersion(text: string): number | null {
  const match = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:[-+ ].*)?$/su.exec(text);
  if (!match) return null;
  const [major, minor, patch] = match.slice(1, 4).map((part) => Number(part ?? 0)) as [number, number, number];
  const version = major * 1_000_000 + minor * 1_000 + patch;
  return minor < 1_000 && patch < 1_000 && Number.isSafeInteger(version) ? version : null;
}
