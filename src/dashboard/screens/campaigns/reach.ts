// What is asked about a campaign's events, and why it may have few shows.
import type {
  EventSelectionInput,
  EventSeriesInput,
  PropertyFilterInput,
} from '../../../../generated/screens/campaigns/graphql.ts';
import { count, time } from '../../parts/figures.ts';
import type { Range } from '../../parts/range.ts';
import { capWords, versionNames, type SeenCampaign } from './words.ts';

const most = { filters: 20, list: 100 };

/** The SDK may send the id in either letter case. */
function ofCampaign(id: string): PropertyFilterInput {
  return { scope: 'EVENT', property: 'campaignId', op: 'IN', value: [id.toLowerCase(), id.toUpperCase()] };
}

interface AskedLine {
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

export interface Rival {
  id: string;
  name: string;
  priority: number;
}

export interface Reason {
  /** `stops`: no device shows it now. `limits`: fewer devices or shows. */
  kind: 'stops' | 'limits';
  text: string;
  rivals?: readonly Rival[];
}

interface Facts {
  campaign: SeenCampaign;
  timeZone: string;
  now: number;
  rivals: readonly Rival[];
  /** Devices of the range at each step of `reachSteps`; null where they could not be counted. */
  reach: readonly (number | null)[] | null;
}

/** Why a campaign may have few shows: what its state, schedule, trigger, targeting, caps and rivals say. */
export function reasonsOf(facts: Facts): Reason[] {
  return [
    ...ofState(facts),
    ...ofReach(facts),
    ...ofRivals(facts),
    ...ofCaps(facts),
    ...ofUnshown(facts),
    ...ofOutcomes(facts),
  ];
}

function ofState({ campaign, timeZone, now }: Facts): Reason[] {
  const { state, schedule, trigger, action } = campaign;
  const start = schedule?.startAt;
  const end = schedule?.endAt;
  const stops = (text: string): Reason => ({ kind: 'stops', text });
  const reasons: Reason[] = [];
  if (state === 'DRAFT') reasons.push(stops('It is a draft: devices do not get it.'));
  if (state === 'SCHEDULED' && start)
    reasons.push(stops(`It has not begun: it starts at ${time(start, timeZone)} (${timeZone}).`));
  if (state === 'PAUSED') reasons.push(stops('It is paused: devices have dropped it.'));
  if (state === 'FINISHED') reasons.push(stops('It is over.'));
  if (state === 'ARCHIVED') reasons.push(stops('It is archived.'));
  if (!trigger) reasons.push(stops('It has no trigger.'));
  if (!action) reasons.push(stops('It has no action.'));
  const ended = end ? Date.parse(end) <= now : false;
  if (ended && state !== 'FINISHED' && state !== 'ARCHIVED')
    reasons.push(stops('Its end has passed: give it a later one before you start it.'));
  if (state === 'ACTIVE' && start && Date.parse(start) <= now && now - Date.parse(start) < 86_400_000)
    reasons.push({ kind: 'limits', text: `It began less than a day ago, at ${time(start, timeZone)} (${timeZone}).` });
  return reasons;
}

function ofReach({ campaign, reach }: Facts): Reason[] {
  const event = campaign.trigger?.event;
  if (!reach || event === undefined) return [];
  const known = reach.slice(0, -1).filter((devices) => devices !== null);
  const [first = 0, last = first] = [known[0], known.at(-1)];
  if (first === 0) return [{ kind: 'stops', text: `No device had the event ${event} in the range.` }];
  if (last === 0) return [{ kind: 'stops', text: `Of ${count(first)} devices with the event, none fits.` }];
  if (last === first) return [];
  return [{ kind: 'limits', text: `Of ${count(first)} devices with the event, ${count(last)} fit.` }];
}

function ofRivals({ rivals }: Facts): Reason[] {
  if (rivals.length === 0) return [];
  const text =
    rivals.length === 1
      ? 'A campaign with the same trigger goes first. When one event would set off both, only that one runs:'
      : `${count(rivals.length)} campaigns with the same trigger go first. One event runs one campaign alone:`;
  return [{ kind: 'limits', text, rivals }];
}

function ofCaps({ campaign, reach }: Facts): Reason[] {
  const caps = capWords(campaign.frequency);
  const reasons: Reason[] =
    caps.length > 0 ? [{ kind: 'limits', text: `Each device shows it ${caps.join(', ')}.` }] : [];
  const [fit, shown] = [reach?.at(-2) ?? null, reach?.at(-1) ?? null];
  if (campaign.frequency?.total != null && fit !== null && fit > 0 && shown !== null && shown >= fit)
    reasons.push({
      kind: 'limits',
      text: 'Every device that fits has shown it already, and its shows in all are capped.',
    });
  if (campaign.action?.blocking)
    reasons.push({
      kind: 'limits',
      text: 'It does not run while another blocking action of the same app start is unresolved.',
    });
  return reasons;
}

/** Devices fit by their present properties, so the difference of the two figures is the least there can be. */
function ofUnshown({ campaign, rivals, reach }: Facts): Reason[] {
  const [fit, shown] = [reach?.at(-2) ?? null, reach?.at(-1) ?? null];
  const begun = campaign.state !== 'DRAFT' && campaign.state !== 'SCHEDULED';
  if (!begun || fit === null || shown === null || fit <= shown) return [];
  const causes = [
    'it has had no such event since it got the campaign',
    ...(capWords(campaign.frequency).length > 0 ? ['a cap was reached by earlier shows'] : []),
    ...(campaign.action?.blocking ? ['another blocking action was not resolved yet'] : []),
    ...(rivals.length > 0 ? ['another campaign went first'] : []),
    'its next upload has not arrived',
  ];
  const devices = fit - shown === 1 ? '1 device fits and has' : `${count(fit - shown)} devices fit and have`;
  const text = `At least ${devices} not shown it in the range. The API does not tell why. For one device it can be: ${causes.join('; ')}.`;
  return [{ kind: 'limits', text }];
}

function ofOutcomes({ campaign: { stats, action } }: Facts): Reason[] {
  const { unavailable, skippedNoPresenter, skippedNoContinuation } = stats.resolved;
  const limits = (text: string): Reason => ({ kind: 'limits', text });
  const times = (figure: number): string => (figure === 1 ? 'once' : `${count(figure)} times`);
  return [
    ...(unavailable > 0
      ? [limits(`The app could not show it ${times(unavailable)}. These count as shows for the caps.`)]
      : []),
    ...(skippedNoPresenter > 0
      ? [
          limits(
            `The app had no code to show “${action?.type ?? 'its action'}” ${times(skippedNoPresenter)} (“No presenter”).`,
          ),
        ]
      : []),
    ...(skippedNoContinuation > 0
      ? [limits(`The app did not wait for an outcome ${times(skippedNoContinuation)} (“Nothing waited”).`)]
      : []),
  ];
}
