// The whole number of a version as people write it, in the recommended encoding: openapi.yaml, "Version integers".

/** `2.14.3` is 2014003, `17.5` is 17005000. Null for what is no version. test/vectors/versions.json has the cases. */
export function versionNumber(text: string): number | null {
  const parts = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.\d+)*(?:[-+ ].*)?$/su.exec(text);
  if (!parts) return null;
  const [major, minor, patch] = parts.slice(1, 4).map((part) => Number(part ?? 0)) as [number, number, number];
  const number = major * 1_000_000 + minor * 1_000 + patch;
  return minor < 1_000 && patch < 1_000 && Number.isSafeInteger(number) ? number : null;
}
