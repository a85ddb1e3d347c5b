// A campaign's rule in words: its conditions, versions, countries and caps.
import type { CampaignQuery } from '../../../../generated/screens/campaigns/graphql.ts';
import { count } from '../../parts/figures.ts';
import { needsNoValue, textOf, words as operatorWords, type Filter } from '../../parts/filters.ts';
import { versionText } from '../../parts/values.ts';

export type SeenCampaign = NonNullable<CampaignQuery['campaign']>;
type Targeting = NonNullable<SeenCampaign['targeting']>;
type Range = NonNullable<Targeting['appVersion']>;

interface Condition {
  op: Filter['op'];
  value?: unknown;
}

/** `price is at least 20`. */
export function conditionWords(name: string, { op, value }: Condition): string {
  const words = `${name} ${operatorWords[op]}`;
  return needsNoValue(op) ? words : `${words} ${textOf(value as Filter['value'])}`;
}

/** `2014003 (2.14.3)`: as it is compared, and as the recommended encoding reads. */
function versionWords(version: number): string {
  const text = versionText(version);
  return text === String(version) ? text : `${version} (${text})`;
}

function rangeWords({ min, max }: Range): string {
  if (min != null && max != null) return `${versionWords(min)} to ${versionWords(max)}`;
  return min != null ? `${versionWords(min)} or later` : `${versionWords(max!)} or earlier`;
}

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });
export const countryWords = (code: string): string => `${regions.of(code)} (${code})`;

export const versionNames = {
  appVersion: 'App version',
  osVersion: 'System version',
  sdkVersion: 'SDK version',
  appInstallVersion: 'App version at installation',
} as const;

export interface Line {
  label: string;
  text: string;
}

/** Empty: everybody. */
export function targetingLines(targeting: SeenCampaign['targeting']): Line[] {
  if (!targeting) return [];
  const { platforms, countries } = targeting;
  const lines: Line[] = [];
  if (platforms.length > 0) lines.push({ label: 'Platform', text: platforms.join(' or ') });
  for (const [name, label] of Object.entries(versionNames)) {
    const range = targeting[name as keyof typeof versionNames];
    if (range && (range.min != null || range.max != null)) lines.push({ label, text: rangeWords(range) });
  }
  if (countries.length > 0) lines.push({ label: 'Country', text: countries.map(countryWords).join(', ') });
  return lines;
}

/** Groups of which one must hold, each as its conditions. */
export function groupWords(targeting: SeenCampaign['targeting']): string[] {
  const groups = targeting?.userProperties ?? [];
  return groups.map((group) => group.map((condition) => conditionWords(condition.name, condition)).join(' and '));
}

/** Empty: as often as the event happens. */
export function capWords(frequency: SeenCampaign['frequency']): string[] {
  if (!frequency) return [];
  const { perSession, perDay, total, cooldownSeconds } = frequency;
  const times = (cap: number): string => (cap === 1 ? 'once' : `${count(cap)} times`);
  return [
    ...(perSession == null ? [] : [`at most ${times(perSession)} in a session`]),
    ...(perDay == null ? [] : [`at most ${times(perDay)} in a day of the device`]),
    ...(total == null ? [] : [`at most ${times(total)} in all`]),
    ...(cooldownSeconds == null ? [] : [`at least ${lengthWords(cooldownSeconds)} between two shows`]),
  ];
}

/** All of it, `1 d 2 h 30 s`: a rule is not rounded. */
export function lengthWords(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  return parts.flatMap(([value, unit]) => (value > 0 ? `${value} ${unit}` : [])).join(' ');
}
