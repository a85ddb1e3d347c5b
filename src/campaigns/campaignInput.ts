// Reads the input of campaignEdit into a change. It checks every rule that needs no stored data, and reports all problems at once.
import type { CampaignEditInput, CampaignFrequencyInput, CampaignScheduleInput } from '../../generated/graphql.ts';
import type { EveryField } from '../platform/everyField.ts';
import { inputRules, readWholeNumber, type InputRules } from '../platform/inputRules.ts';
import { writtenBytes } from '../platform/json/writtenBytes.ts';
import { readAction } from './actionInput.ts';
import type { CampaignContent, StoredFrequency, StoredTargeting, StoredTrigger } from './campaignRecord.ts';
import { readTargeting } from './targetingInput.ts';
import { readTrigger } from './triggerInput.ts';

const longestDescription = 4_096;
/** Bytes of the text that PostgreSQL writes, without white space. */
const longestPart = 131_072;
const priorities = { least: 0, most: 1_000 };
const caps = { least: 1, most: 1_000_000 };
const cooldowns = { least: 1, most: 31_536_000 };

/** An absent field stays unchanged. */
export type ContentChange = Partial<Omit<CampaignContent, 'state'>>;

type Field = 'id' | 'applicationId' | 'expectedVersion' | 'name' | 'description' | 'priority';
type Part = 'trigger' | 'targeting' | 'frequency' | 'schedule' | 'action';

/** Throws `validation_failed`. Afterwards a new campaign has a name and an application. */
export function readCampaignInput(input: EveryField<CampaignEditInput, Record<Field | Part, true>>): ContentChange {
  const rules = inputRules();
  checkIdentity(rules, input);
  const { description, priority, trigger, targeting, frequency, schedule, action } = input;
  const name = rules.editedName('input.name', input.name, !input.id);
  if (typeof description === 'string') rules.text('input.description', description, longestDescription);
  const change: ContentChange = {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(priority !== undefined && {
      priority: readWholeNumber(rules, 'input.priority', { value: priority, ...priorities }) ?? 0,
    }),
    ...(trigger !== undefined && { trigger: trigger && readTrigger(rules, 'input.trigger', trigger) }),
    ...(targeting !== undefined && { targeting: targeting && readTargeting(rules, 'input.targeting', targeting) }),
    ...(frequency !== undefined && { frequency: frequency && readFrequency(rules, 'input.frequency', frequency) }),
    ...(schedule !== undefined && readSchedule(rules, 'input.schedule', schedule ?? {})),
    ...(action !== undefined && { action: action && readAction(rules, 'input.action', action) }),
  };
  checkLength(rules, 'input.trigger', change.trigger);
  checkLength(rules, 'input.targeting', change.targeting);
  rules.assert();
  return change;
}

/** The request's body is shorter. Only numbers like 5e-324 make the stored text longer. */
function checkLength(rules: InputRules, path: string, part: StoredTrigger | StoredTargeting | null | undefined): void {
  if (part && writtenBytes(part) > longestPart) {
    rules.refuse(path, `must have at most ${longestPart} bytes as JSON with its numbers written out`);
  }
}

function checkIdentity(rules: InputRules, { id, applicationId, expectedVersion }: CampaignEditInput): void {
  if (id) {
    if (applicationId === null) rules.refuse('input.applicationId', 'must not be null');
    return;
  }
  if (!applicationId) rules.refuse('input.applicationId', 'is required');
  if (expectedVersion != null) rules.refuse('input.expectedVersion', 'is for an edit only: a new campaign has none');
}

type Caps = 'perSession' | 'perDay' | 'total' | 'cooldownSeconds';

function readFrequency(
  rules: InputRules,
  path: string,
  input: EveryField<CampaignFrequencyInput, Record<Caps, true>>,
): StoredFrequency {
  return {
    perSession: readWholeNumber(rules, `${path}.perSession`, { value: input.perSession, ...caps }),
    perDay: readWholeNumber(rules, `${path}.perDay`, { value: input.perDay, ...caps }),
    total: readWholeNumber(rules, `${path}.total`, { value: input.total, ...caps }),
    cooldownSeconds: readWholeNumber(rules, `${path}.cooldownSeconds`, { value: input.cooldownSeconds, ...cooldowns }),
  };
}

function readSchedule(
  rules: InputRules,
  path: string,
  input: EveryField<CampaignScheduleInput, Record<'startAt' | 'endAt', true>>,
): Pick<CampaignContent, 'startAt' | 'endAt'> {
  const { startAt = null, endAt = null } = input;
  if (startAt && endAt && endAt <= startAt) rules.refuse(`${path}.endAt`, 'must be after startAt');
  return { startAt, endAt };
}
