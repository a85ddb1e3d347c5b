// mutation campaignEdit: creates a draft, or edits a campaign under the lock of its row. A delivered campaign stays complete.
import type { Pool } from 'pg';
import type { CampaignEditInput, MutationCampaignEditArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { assertRoom } from '../platform/assertRoom.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import { reaches, seenBy, type Caller } from '../workspace/caller.ts';
import { lockApplication } from '../workspace/workspaceEditsStore.ts';
import type { CampaignDirectory } from './campaignDirectory.ts';
import type { SeenCampaign } from './campaignFields.ts';
import { insertCampaignChange } from './campaignHistoryStore.ts';
import { readCampaignInput, type ContentChange } from './campaignInput.ts';
import type { CampaignContent, StoredCampaign } from './campaignRecord.ts';
import { missingFor, stateAt } from './campaignState.ts';
import { countCampaignsOf, insertCampaign } from './campaignsStore.ts';
import { editedFields } from './editedFields.ts';
import { fieldChanges } from './fieldChanges.ts';
import { holdCampaign, writeHeldCampaign, type HeldCampaign, type WrittenCampaign } from './heldCampaign.ts';
import { noteNewCampaign } from './tellMoves.ts';

interface Needs {
  adminPool: Pool;
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
  return seenBy(needs.caller, campaign);
}

async function edit(transaction: Transaction, { input, change }: Edit, needs: Needs): Promise<WrittenCampaign> {
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

async function create(transaction: Transaction, { input, change }: Edit, needs: Needs): Promise<WrittenCampaign> {
  const { caller, now } = needs;
  const applicationId = input.applicationId!;
  const { organizationId } = caller;
  const own = await lockApplication(transaction, { organizationId, id: applicationId });
  if (!own || !reaches(caller, applicationId)) throw new AppError('not_found', undefined);
  const count = await countCampaignsOf(transaction, applicationId);
  assertRoom({ count, most: mostCampaigns, path: 'input.applicationId', objects: 'campaigns' });
  const content = { ...emptyDraft, ...change };
  const at = now();
  const campaign = await insertCampaign(transaction, { applicationId, content, now: at, by: caller.email });
  await noteNewCampaign(transaction, campaign, at);
  await recordEdit(transaction, caller, { before: emptyDraft, after: campaign });
  return { campaign, deliveries: 0 };
}

async function recordEdit(
  transaction: Transaction,
  caller: Caller,
  { before, after }: { before: CampaignContent; after: StoredCampaign },
): Promise<void> {
  const { id, version } = after;
  await insertCampaignChange(transaction, { campaignId: id, version, changes: fieldChanges(before, after) });
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
