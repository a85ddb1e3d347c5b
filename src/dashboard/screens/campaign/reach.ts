// The questions about a campaign's events: what devices reported of it, and how many could have shown it.
import type {
  EventSelectionInput,
  EventSeriesInput,
  PropertyFilterInput,
} from '../../../../generated/screens/campaign/graphql.ts';
import type { Range } from '../../parts/range/range.ts';
import { versionNames, type SeenCampaign } from './words.ts';

const most = { filters: 20, list: 100 };

/** The SDK may send the id in either letter case. */
export function ofCampaign(id: string): PropertyFilterInput {
  return { scope: 'EVENT', property: 'campaignId', op: 'IN', value: [id.toLowerCase(), id.toUpperCase()] };
}

export interface AskedLine {
  name: string;
  color: number;
  event: EventSelectionInput;
}

/** What devices reported, as the lines of the chart. */
export function reportedLines(id: string): AskedLine[] {
  const resolved = (name: string, color: number, results: string[]): AskedLine => ({
    name,
    color,
    event: {
      name: 'CampaignResolved',
      type: 'SYSTEM',
      filters: [ofCampaign(id), { scope: 'EVENT', property: 'result', op: 'IN', value: results }],
    },
  });
  return [
    { name: 'Shown', color: 1, event: { name: 'CampaignShown', type: 'SYSTEM', filters: [ofCampaign(id)] } },
    resolved('Completed', 5, ['Completed']),
    resolved('Dismissed', 4, ['Dismissed']),
    resolved('Unavailable', 3, ['Unavailable']),
    resolved('Skipped', 7, ['SkippedNoPresenter', 'SkippedNoContinuation']),
  ];
}

export function seriesInput(
  applicationId: string,
  events: readonly EventSelectionInput[],
  { from, to, interval, measure }: Range & { measure: 'COUNT' | 'UNIQUE' },
): EventSeriesInput {
  return { applicationId, events: [...events], measure, interval, from, to };
}

export interface ReachStep {
  label: string;
  /** Null: the API cannot count it, `why` says the reason. */
  event: EventSelectionInput | null;
  why?: string;
}

/** From the devices with the event to those that have shown the campaign. */
export function reachSteps(campaign: SeenCampaign): ReachStep[] {
  const { trigger, targeting } = campaign;
  if (!trigger) return [];
  const { name, type } = { name: trigger.event, type: trigger.type };
  const filters = trigger.filters.map(({ param, op, value }): PropertyFilterInput => ({
    scope: 'EVENT',
    property: param,
    op,
    value,
  }));
  const steps: ReachStep[] = [{ label: `had the event ${name}`, event: { name, type, filters: [] } }];
  if (filters.length > 0) steps.push(counted('with parameters that fit', { name, type, filters }));
  const reach = targeting ? targetingFilters(targeting) : [];
  if (reach === null) steps.push({ label: 'and fit the targeting', event: null, why: unions });
  else if (reach.length > 0)
    steps.push(counted('and fit the targeting', { name, type, filters: [...filters, ...reach] }));
  const shown = { name: 'CampaignShown', type: 'SYSTEM' as const, filters: [ofCampaign(campaign.id)] };
  return [...steps, { label: 'have shown the campaign', event: shown }];
}

const unions = 'Reports cannot count several groups of user properties, nor more than 100 countries.';

function counted(label: string, event: EventSelectionInput): ReachStep {
  if (event.filters!.length <= most.filters) return { label, event };
  return { label, event: null, why: `Reports have at most ${most.filters} conditions.` };
}

/** Null: reports have no such condition. */
function targetingFilters(targeting: NonNullable<SeenCampaign['targeting']>): PropertyFilterInput[] | null {
  const { platforms, countries, userProperties } = targeting;
  if (userProperties.length > 1 || countries.length > most.list) return null;
  const filters: PropertyFilterInput[] = [];
  const device = (property: string, op: PropertyFilterInput['op'], value: unknown) =>
    filters.push({ scope: 'DEVICE', property, op, value });
  if (platforms.length > 0) device('platform', 'IN', platforms);
  if (countries.length > 0) device('country', 'IN', countries);
  for (const property of Object.keys(versionNames) as (keyof typeof versionNames)[]) {
    const range = targeting[property];
    if (range?.min != null) device(property, 'GTE', range.min);
    if (range?.max != null) device(property, 'LTE', range.max);
  }
  for (const { name, op, value } of userProperties[0] ?? []) filters.push({ scope: 'USER', property: name, op, value });
  return filters;
}
