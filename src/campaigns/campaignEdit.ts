// mutation campaignEdit: creates a draft, or edits a campaign under the lock of its row. A delivered campaign stays complete.
import type {
  CampaignActionInput,
  CampaignEditInput,
  CampaignFrequencyInput,
  CampaignScheduleInput,
  CampaignTargetingInput,
  CampaignTriggerInput,
  MutationCampaignEditArgs,
  UserPropertyConditionInput,
  VersionRangeInput,
} from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { countries } from '../countries/countries.ts';
import { sql } from '../platform/database/sql.ts';
import { type AdminPool, type AdminTransaction, inTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import {
  assertRoom,
  type EveryField,
  inputRules,
  type InputRules,
  readExactName,
  readWholeNumber,
} from '../platform/inputRules.ts';
import { writtenBytes } from '../platform/json/jsonBytes.ts';
import { type Caller, canAccess, withViewer } from '../workspace/workspace.ts';
import { lockApplication } from '../workspace/workspaceEditsStore.ts';
import type { CampaignDirectory } from './campaignDirectory.ts';
import type { SeenCampaign } from './campaignFields.ts';
import {
  type CampaignContent,
  editedFields,
  fieldChanges,
  missingFor,
  readCondition,
  stateAt,
  type StoredAction,
  type StoredCampaign,
  type StoredFrequency,
  type StoredRange,
  type StoredTargeting,
  type StoredTrigger,
} from './campaignRecord.ts';
import {
  type HeldCampaign,
  holdCampaign,
  insertCampaign,
  saveEventState,
  writeHeldCampaign,
  type WrittenCampaign,
} from './heldCampaign.ts';

interface Needs {
  adminPool: AdminPool;
  campaigns: Pick<CampaignDirectory, 'forget'>;
  caller: Caller;
  /** Told after COMMIT. */
  wroteDeliveries(count: number): void;
  now(): Date;
}

interface Edit {
  input: CampaignEditInput;
  change: ContentChange;
}

/** Throws `validation_failed`, `not_found` (the campaign or the application), `conflict` (another version, or the campaign has ended). */
export async function campaignEdit({ input }: MutationCampaignEditArgs, needs: Needs): Promise<SeenCampaign> {
  const change = readCampaignInput(input);
  const { campaign, deliveries } = await inTransaction(needs.adminPool, (transaction) =>
    input.id ? edit(transaction, { input, change }, needs) : create(transaction, { input, change }, needs),
  );
  needs.wroteDeliveries(deliveries);
  // After COMMIT: this process's next response shows the change before the notification arrives.
  needs.campaigns.forget(campaign.applicationId);
  return withViewer(needs.caller, campaign);
}

async function edit(transaction: AdminTransaction, { input, change }: Edit, needs: Needs): Promise<WrittenCampaign> {
  const { caller, now } = needs;
  const wanted = { id: input.id!, caller, expectedVersion: input.expectedVersion };
  const held = await holdCampaign(transaction, wanted, now);
  const content = edited(held, { input, change });
  const written = await writeHeldCampaign(transaction, held, { content, by: caller.email, path: 'input' });
  await recordEdit(transaction, caller, { before: held.campaign, after: written.campaign });
  return written;
}

/** Of an application, archived ones included: none is ever deleted. */
const mostCampaigns = 10_000;

const emptyDraft: CampaignContent = {
  name: '',
  description: null,
  state: 'DRAFT',
  priority: 0,
  trigger: null,
  targeting: null,
  frequency: null,
  action: null,
  startAt: null,
  endAt: null,
};

async function create(transaction: AdminTransaction, { input, change }: Edit, needs: Needs): Promise<WrittenCampaign> {
  const { caller, now } = needs;
  const applicationId = input.applicationId!;
  const { organizationId } = caller;
  const own = await lockApplication(transaction, { organizationId, id: applicationId });
  if (!own || !canAccess(caller, applicationId)) throw new AppError('not_found', undefined);
  const count = await transaction.prisma.campaign.count({ where: { applicationId } });
  assertRoom({ count, most: mostCampaigns, path: 'input.applicationId', objects: 'campaigns' });
  const content = { ...emptyDraft, ...change };
  const at = now();
  const campaign = await insertCampaign(transaction, { applicationId, content, now: at, by: caller.email });
  await saveEventState(transaction, campaign, { now: at });
  await recordEdit(transaction, caller, { before: emptyDraft, after: campaign });
  return { campaign, deliveries: 0 };
}

async function recordEdit(
  transaction: AdminTransaction,
  caller: Caller,
  { before, after }: { before: CampaignContent; after: StoredCampaign },
): Promise<void> {
  const { id, version } = after;
  // SQL, because Prisma drops `__proto__` from JSON.
  await transaction.query(sql`/* campaigns: recordEdit */
    INSERT INTO campaign_changes (campaign_id, version, changes)
    VALUES (${id}, ${version}, ${JSON.stringify(fieldChanges(before, after))})`);
  const details = { version, fields: editedFields(before, after) };
  await audit(transaction, caller, { action: 'campaignEdit', objectType: 'campaign', objectId: id, details });
}

/** Stores the state by the clock: an edit of the schedule must not undo a start that has happened. */
function edited({ campaign: stored, now }: HeldCampaign, { input, change }: Edit): CampaignContent {
  const state = stateAt(stored, now);
  if (state === 'FINISHED' || state === 'ARCHIVED') {
    throw new AppError('conflict', { reason: 'not_editable' });
  }
  const content = { ...stored, ...change, state };
  const rules = inputRules();
  if (input.applicationId && input.applicationId !== stored.applicationId) {
    rules.refuse('input.applicationId', 'cannot be changed');
  }
  for (const { path, message } of missingFor(state, content, now))
    rules.refuse(`${holderOf(path, input)}.${path}`, message);
  rules.assert();
  return content;
}

/** The fault can also be in a part that the edit leaves unchanged: that part is stored, and not in the input. */
function holderOf(path: string, input: CampaignEditInput): 'input' | 'campaign' {
  return input[path.split('.')[0] as keyof CampaignEditInput] === undefined ? 'campaign' : 'input';
}

const longestDescription = 4_096;
/** Bytes of the text that PostgreSQL writes, without white space. */
const longestPart = 131_072;
const priorities = { least: 0, most: 1_000 };
const caps = { least: 1, most: 1_000_000 };
const cooldowns = { least: 1, most: 31_536_000 };

/** An absent field stays unchanged. */
type ContentChange = Partial<Omit<CampaignContent, 'state'>>;

type Field = 'id' | 'applicationId' | 'expectedVersion' | 'name' | 'description' | 'priority';
type Part = 'trigger' | 'targeting' | 'frequency' | 'schedule' | 'action';

/**
 * Checks every rule that needs no stored data, and throws `validation_failed` with all problems. Afterwards a new campaign has a name
 * and an application.
 */
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

const platforms = { words: new Set(['iOS', 'Android']), message: 'must be one of iOS, Android' };
const countryCodes = {
  words: new Set(countries().map(({ code }) => code)),
  message: 'must be a country code of ISO 3166-1 alpha-2 in upper case',
};
const versions = { least: 0, most: Number.MAX_SAFE_INTEGER };
const mostGroups = 20;
const mostInGroup = 20;

type Version = 'appVersion' | 'osVersion' | 'sdkVersion' | 'appInstallVersion';

function readTargeting(
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

function readTrigger(
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

/** Bytes of the text that PostgreSQL writes, without white space. */
const largestPayload = 65_536;
const deadlines = { least: 1, most: 86_400 };

type Fields = 'type' | 'payload' | 'blocking' | 'deadlineSeconds';

function readAction(
  rules: InputRules,
  path: string,
  input: EveryField<CampaignActionInput, Record<Fields, true>>,
): StoredAction {
  const type = readExactName(rules, `${path}.type`, input.type);
  const payload = input.payload ?? null;
  checkPayload(rules, `${path}.payload`, payload);
  const blocking = input.blocking ?? false;
  const deadlineSeconds = readWholeNumber(rules, `${path}.deadlineSeconds`, {
    value: input.deadlineSeconds,
    ...deadlines,
  });
  if (!blocking && deadlineSeconds !== null) rules.refuse(`${path}.deadlineSeconds`, 'is for a blocking action only');
  return { type, payload, blocking, deadlineSeconds };
}

/** The JSON scalar has already bounded the depth and refused text that cannot be stored. */
function checkPayload(rules: InputRules, path: string, payload: unknown): void {
  if (writtenBytes(payload) > largestPayload) {
    rules.refuse(path, `must have at most ${largestPayload} bytes as JSON with its numbers written out`);
  } else if (hasChangedNumber(payload)) {
    rules.refuse(path, 'must not hold whole numbers beyond 2^53-1; send them as text');
  }
}

/** Reading has rounded a whole number above 2^53-1, and each client in JavaScript would round it again. */
function hasChangedNumber(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasChangedNumber);
}
