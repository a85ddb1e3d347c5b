// Which browser and system a `User-Agent` names, so that people recognize a login; an unknown one is shown as it is.

const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: [RegExp, string][] = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

const nameIn = (list: [RegExp, string][], text: string): string | undefined =>
  list.find(([pattern]) => pattern.test(text))?.[1];

export function programOf(userAgent: string | null | undefined): string {
  if (!userAgent) return 'Unknown';
  const browser = nameIn(browsers, userAgent);
  const system = nameIn(systems, userAgent);
  return browser === undefined ? userAgent : system === undefined ? browser : `${browser} on ${system}`;
}
