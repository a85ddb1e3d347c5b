// Why a campaign may have few shows (pure): what its state, schedule, trigger, targeting, caps and rivals say.
import { count, time } from '../../parts/figures.ts';
import { capWords, type SeenCampaign } from './words.ts';

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
