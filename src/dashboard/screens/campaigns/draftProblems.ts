// What keeps a draft from being sent, at the path of its field. The service checks everything again.
import { z } from 'zod';
import { typedVersion } from '../../parts/values.ts';
import { problemOf, type ConditionDraft } from './conditions.ts';
import { campaignEvents, hasAction, hasTrigger, numberOf, payloadOf, type Draft, type Range } from './draft.ts';

export interface Problem {
  path: (string | number)[];
  message: string;
}

/** The draft is what the form holds: its shape is known, its values are not. */
export const draftSchema = z.custom<Draft>().superRefine((draft, context) => {
  for (const { path, message } of problemsOf(draft)) context.addIssue({ code: 'custom', path, message });
});

export function problemsOf(draft: Draft): Problem[] {
  return [...general(draft), ...trigger(draft), ...targeting(draft), ...frequency(draft), ...action(draft)].concat(
    schedule(draft),
  );
}

const length = (text: string): number => [...text].length;

function nameProblem(text: string, what: string): string | null {
  if (text.trim() === '') return `Enter ${what}.`;
  return length(text) > 256 ? 'At most 256 characters.' : null;
}

/** A list of at most one problem. */
const at = (path: Problem['path'], message: string | null): Problem[] => (message === null ? [] : [{ path, message }]);

function wholeProblem(text: string, least: number, most: number): string | null {
  const number = numberOf(text);
  if (number === null || (number >= least && number <= most)) return null;
  return `Enter a whole number from ${least} to ${most.toLocaleString('en')}.`;
}

function general({ name, description, priority }: Draft): Problem[] {
  return [
    ...at(['name'], nameProblem(name, 'a name')),
    ...at(['description'], length(description) > 4_096 ? 'At most 4,096 characters.' : null),
    ...at(['priority'], wholeProblem(priority, 0, 1_000)),
  ];
}

function conditions(path: Problem['path'], list: ConditionDraft[]): Problem[] {
  return list.flatMap((condition, index) => [
    ...at([...path, index, 'name'], nameProblem(condition.name, 'a name')),
    ...at([...path, index, 'value'], problemOf(condition)),
  ]);
}

function trigger(draft: Draft): Problem[] {
  if (!hasTrigger(draft)) return [];
  const { event, filters } = draft.trigger;
  const own = campaignEvents.includes(event) ? 'A campaign cannot set off a campaign.' : null;
  return [
    ...at(['trigger', 'event'], own ?? nameProblem(event, 'the name of an event')),
    ...conditions(['trigger', 'filters'], filters),
  ];
}

export const versions = ['appVersion', 'osVersion', 'sdkVersion', 'appInstallVersion'] as const;

function targeting(draft: Draft): Problem[] {
  return [
    ...versions.flatMap((name) => range(['targeting', name], draft.targeting[name])),
    ...draft.targeting.userProperties.flatMap((group, index) =>
      userGroup(['targeting', 'userProperties', index], group),
    ),
  ];
}

function userGroup(path: Problem['path'], group: ConditionDraft[]): Problem[] {
  return group.length === 0 ? at(path, 'Add a condition, or remove the group.') : conditions(path, group);
}

function range(path: Problem['path'], { min, max }: Range): Problem[] {
  const [least, most] = [versionProblem(min), versionProblem(max)];
  const isTurned =
    least === null &&
    most === null &&
    min.trim() !== '' &&
    max.trim() !== '' &&
    typedVersion(max)! < typedVersion(min)!;
  return [...at([...path, 'min'], least), ...at([...path, 'max'], isTurned ? 'This is below the lowest.' : most)];
}

function versionProblem(text: string): string | null {
  return text.trim() === '' || typedVersion(text) !== null ? null : 'Enter a version like 2.14.3, or its whole number.';
}

function frequency({ frequency: caps }: Draft): Problem[] {
  const cap = (name: 'perSession' | 'perDay' | 'total'): Problem[] =>
    at(['frequency', name], wholeProblem(caps[name], 1, 1_000_000));
  const wait = wholeProblem(caps.cooldownSeconds, 1, 31_536_000);
  return [...cap('perSession'), ...cap('perDay'), ...cap('total'), ...at(['frequency', 'cooldownSeconds'], wait)];
}

/** Local times of one form sort as texts; only two within one hour of a clock that is put back do not. */
function schedule({ schedule: { startAt, endAt } }: Draft): Problem[] {
  const isTurned = startAt !== '' && endAt !== '' && endAt < startAt;
  return at(['schedule', 'endAt'], isTurned ? 'The end is before the start.' : null);
}

function action(draft: Draft): Problem[] {
  if (!hasAction(draft)) return [];
  const { type, payload, blocking, deadlineSeconds } = draft.action;
  return [
    ...at(['action', 'type'], nameProblem(type, 'the kind of the action')),
    ...at(['action', 'payload'], payloadOf(payload).problem),
    ...(blocking ? at(['action', 'deadlineSeconds'], wholeProblem(deadlineSeconds, 1, 86_400)) : []),
  ];
}
