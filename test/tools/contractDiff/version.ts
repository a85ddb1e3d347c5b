// Which version may carry which change, by the rules of docs/contributing/contract-changes.md.

/** 1.0.0 and later: the major number. Before: the minor one, because nothing is promised for long yet. */
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
