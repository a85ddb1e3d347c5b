// Decides whether a version announces a breaking change, and whether it is later: openapi.yaml, "Versioning".

/** From 1.0.0 on the first number announces a break. Before that the second one does: nothing is promised for long. */
export function announcesBreak(before: string, after: string): boolean {
  const [was, is] = [numbersOf(before), numbersOf(after)];
  if (is.major !== was.major) return is.major > was.major;
  return was.major === 0 && is.minor > was.minor;
}

export function isLater(before: string, after: string): boolean {
  const [was, is] = [numbersOf(before), numbersOf(after)];
  return (is.major - was.major || is.minor - was.minor || is.patch - was.patch) > 0;
}

function numbersOf(version: string): { major: number; minor: number; patch: number } {
  const match = /^(\d+)\.(\d+)\.(\d+)$/.exec(version);
  if (!match) throw new Error(`a version is three numbers, as in 1.4.0, and not "${version}"`);
  const [major, minor, patch] = match.slice(1).map(Number) as [number, number, number];
  return { major, minor, patch };
}
