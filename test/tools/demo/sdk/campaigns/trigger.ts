// Whether an event sets a campaign off: openapi.yaml, getCampaigns, "Trigger" and "Filters". Depends on conditions only.
import type { components } from '../../../../../generated/openapi.ts';
import { conditionHolds, type Primitive } from './conditions.ts';

type Schemas = components['schemas'];

/** An event as it is recorded. */
export type RecordedEvent = Pick<Schemas['SessionEvent'], 'name' | 'type' | 'params'>;

/** A campaign cannot trigger a campaign. */
const neverEvaluated = new Set(['CampaignShown', 'CampaignResolved']);

/** These two travel as JSON text, and conditions see primitive values only. */
const notPrimitive = new Map([
  ['ConfigFetchFinished', 'campaigns'],
  ['EventTriggered', 'properties'],
]);

export function isEvaluated({ name, type }: RecordedEvent): boolean {
  return type !== 'system' || !neverEvaluated.has(name);
}

export function isTriggered({ event, type, filters }: Schemas['CampaignTrigger'], recorded: RecordedEvent): boolean {
  if (event !== recorded.name || type !== (recorded.type === 'custom' ? 'CUSTOM' : 'SYSTEM')) return false;
  const params = paramsOf(recorded);
  return filters.every((filter) => conditionHolds(filter, params.get(filter.param)));
}

/** Of two params with one name the last wins. */
function paramsOf({ name, type, params }: RecordedEvent): Map<string, Primitive> {
  const values = new Map(params.map((param) => [param.name, param.value]));
  const left = type === 'system' ? notPrimitive.get(name) : undefined;
  if (left !== undefined) values.delete(left);
  return values;
}
