// Reads the targeting of a campaign edit: platforms, version ranges, countries and groups of conditions on the user.
import type { CampaignTargetingInput, UserPropertyConditionInput, VersionRangeInput } from '../../generated/graphql.ts';
import { countries } from '../countries/countries.ts';
import type { EveryField } from '../platform/everyField.ts';
import { readExactName, readWholeNumber, type InputRules } from '../platform/inputRules.ts';
import type { StoredRange, StoredTargeting } from './campaignRecord.ts';
import { readCondition } from './conditionInput.ts';

const platforms = { words: new Set(['iOS', 'Android']), message: 'must be one of iOS, Android' };
const countryCodes = {
  words: new Set(countries().map(({ code }) => code)),
  message: 'must be a country code of ISO 3166-1 alpha-2 in upper case',
};
const versions = { least: 0, most: Number.MAX_SAFE_INTEGER };
const mostGroups = 20;
const mostInGroup = 20;

type Version = 'appVersion' | 'osVersion' | 'sdkVersion' | 'appInstallVersion';

export function readTargeting(
  rules: InputRules,
  path: string,
  input: EveryField<CampaignTargetingInput, Record<'platforms' | 'countries' | 'userProperties' | Version, true>>,
): StoredTargeting {
  const range = (name: Version): StoredRange | null => readRange(rules, `${path}.${name}`, input[name]);
  checkWords(rules, `${path}.platforms`, { given: input.platforms ?? [], ...platforms });
  checkWords(rules, `${path}.countries`, { given: input.countries ?? [], ...countryCodes });
  return {
    platforms: (input.platforms ?? []) as ('iOS' | 'Android')[],
    appVersion: range('appVersion'),
    osVersion: range('osVersion'),
    sdkVersion: range('sdkVersion'),
    appInstallVersion: range('appInstallVersion'),
    countries: input.countries ?? [],
    userProperties: readGroups(rules, `${path}.userProperties`, input.userProperties ?? []),
  };
}

/** Each word at most once. This bounds the list too. */
function checkWords(
  rules: InputRules,
  path: string,
  { given, words, message }: { given: string[]; words: Set<string>; message: string },
): void {
  for (const [index, word] of given.entries()) {
    if (!words.has(word)) rules.refuse(`${path}[${index}]`, message);
    else if (given.indexOf(word) < index) rules.refuse(`${path}[${index}]`, 'stands twice in the list');
  }
}

function readRange(rules: InputRules, path: string, input: VersionRangeInput | null | undefined): StoredRange | null {
  if (!input) return null;
  const min = readWholeNumber(rules, `${path}.min`, { value: input.min, ...versions });
  const max = readWholeNumber(rules, `${path}.max`, { value: input.max, ...versions });
  if (min === null && max === null) rules.refuse(path, 'needs min, max or both');
  if (min !== null && max !== null && max < min) rules.refuse(`${path}.max`, 'must not be below min');
  return { min, max };
}

type Groups = NonNullable<StoredTargeting['userProperties']>;

function readGroups(rules: InputRules, path: string, groups: UserPropertyConditionInput[][]): Groups {
  if (groups.length > mostGroups) {
    rules.refuse(path, `must have at most ${mostGroups} groups`);
    return [];
  }
  return groups.map((group, index) => readGroup(rules, `${path}[${index}]`, group));
}

function readGroup(rules: InputRules, path: string, group: UserPropertyConditionInput[]): Groups[number] {
  if (group.length < 1 || group.length > mostInGroup) {
    rules.refuse(path, `must have 1 to ${mostInGroup} conditions`);
    return [];
  }
  return group.map(({ name, ...condition }, index) => {
    const at = `${path}[${index}]`;
    return { name: readExactName(rules, `${at}.name`, name), ...readCondition(rules, at, condition) };
  });
}
