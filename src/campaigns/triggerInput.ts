// Reads the trigger of a campaign edit: the event that triggers the campaign, and conditions on its parameters.
import type { CampaignTriggerInput } from '../../generated/graphql.ts';
import type { EveryField } from '../platform/everyField.ts';
import { readExactName, type InputRules } from '../platform/inputRules.ts';
import type { StoredTrigger } from './campaignRecord.ts';
import { readCondition } from './conditionInput.ts';

const mostFilters = 50;

/** The names of system events (openapi.yaml, "Events"). A test compares them with `x-reserved-names` there. */
export const systemEvents = [
  'SdkInitialized',
  'ConfigFetchStarted',
  'ConfigFetchFinished',
  'SessionStarted',
  'SessionFinished',
  'CampaignShown',
  'EventTriggered',
  'CustomPropertyChanged',
  'CampaignResolved',
];
/** A campaign cannot trigger a campaign. */
const neverEvaluated = ['CampaignShown', 'CampaignResolved'];

export function readTrigger(
  rules: InputRules,
  path: string,
  input: EveryField<CampaignTriggerInput, Record<'event' | 'type' | 'filters', true>>,
): StoredTrigger {
  const { event, type } = input;
  checkEvent(rules, `${path}.event`, input);
  const given = input.filters ?? [];
  if (given.length > mostFilters) {
    rules.refuse(`${path}.filters`, `must have at most ${mostFilters} entries`);
    return { event, type, filters: [] };
  }
  const filters = given.map(({ param, ...condition }, index) => {
    const at = `${path}.filters[${index}]`;
    return { param: readExactName(rules, `${at}.param`, param), ...readCondition(rules, at, condition) };
  });
  return { event, type, filters };
}

function checkEvent(rules: InputRules, path: string, { event, type }: CampaignTriggerInput): void {
  const isSystemEvent = systemEvents.includes(event);
  if (type === 'CUSTOM' && isSystemEvent) rules.refuse(path, 'is reserved for the SDK: its type is SYSTEM');
  else if (type === 'SYSTEM' && !isSystemEvent) rules.refuse(path, 'must be a system event of the SDK');
  else if (neverEvaluated.includes(event)) rules.refuse(path, 'must not be about a campaign');
  else readExactName(rules, path, event);
}
