// Decides whether an event triggers a campaign and passes its filters: openapi.yaml, getCampaigns, "Evaluation".
// Of the SDK the file imports only conditions.ts.
import type { components } from '../../../../../generated/openapi.ts';
import { conditionHolds, type Primitive } from './conditions.ts';

type Schemas = components['schemas'];

/** An event as it was recorded. */
export type RecordedEvent = Pick<Schemas['SessionEvent'], 'name' | 'type' | 'params'>;

/** These events are never evaluated, so that a campaign cannot trigger a campaign. */
const neverEvaluated = new Set(['CampaignShown', 'CampaignResolved']);

/** Conditions do not see these two params: they are sent as JSON text, and conditions see primitive values only. */
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

/** When two params have one name, the last one wins. */
function paramsOf({ name, type, params }: RecordedEvent): Map<string, Primitive> {
  const values = new Map(params.map((param) => [param.name, param.value]));
  const left = type === 'system' ? notPrimitive.get(name) : undefined;
  if (left !== undefined) values.delete(left);
  return values;
}
