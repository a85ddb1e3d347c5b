// mutation campaignEdit: creates a draft, or edits a campaign under the lock of its row; what devices get stays complete.
import type { CampaignEditInput, MutationCampaignEditArgs } from '../../generated/graphql.ts';
import { audit } from '../audit/audit.ts';
import { inTransaction, type Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import { inputRules } from '../platform/inputRules.ts';
import { seenBy, type Caller } from '../workspace/caller.ts';
import { holdApplication } from '../workspace/workspaceEditsStore.ts';
import type { SeenCampaign } from './campaignFields.ts';
import { readCampaignInput, type ContentChange } from './campaignInput.ts';
import type { CampaignContent, StoredCampaign } from './campaignRecord.ts';
import { missingFor, stateAt } from './campaignState.ts';
import { insertCampaign } from './campaignsStore.ts';
import { changeCampaign, type CampaignChangeNeeds } from './changeCampaign.ts';
import { editedFields } from './editedFields.ts';

type Needs = CampaignChangeNeeds & { caller: Caller };

/** Throws `validation_failed`, `not_found` (the campaign or the application), `conflict` (another version, or the campaign has ended). */
export async function campaignEdit({ input }: MutationCampaignEditArgs, needs: Needs): Promise<SeenCampaign> {
  const { caller } = needs;
  const change = readCampaignInput(input);
  const campaign = input.id
    ? await changeCampaign(needs, {
        id: input.id,
        organizationId: caller.organizationId,
        expectedVersion: input.expectedVersion,
        path: 'input',
        decide: (stored, now) => edited(stored, { input, change, now }),
        record: (transaction, before, after) => auditEdit(transaction, caller, { before, after }),
      })
    : await create(needs, { applicationId: input.applicationId!, change });
  return seenBy(caller, campaign);
}

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

function create(
  { caller, adminPool, now }: Needs,
  { applicationId, change }: { applicationId: string; change: ContentChange },
): Promise<StoredCampaign> {
  return inTransaction(adminPool, async (transaction) => {
    const own = await holdApplication(transaction, { organizationId: caller.organizationId, id: applicationId });
    if (!own) throw new AppError('not_found', undefined);
    const content = { ...emptyDraft, ...change };
    const campaign = await insertCampaign(transaction, { applicationId, content, now: now() });
    await auditEdit(transaction, caller, { before: emptyDraft, after: campaign });
    return campaign;
  });
}

function auditEdit(
  transaction: Transaction,
  caller: Caller,
  { before, after }: { before: CampaignContent; after: StoredCampaign },
): Promise<void> {
  const details = { version: after.version, fields: editedFields(before, after) };
  return audit(transaction, caller, { action: 'campaignEdit', objectType: 'campaign', objectId: after.id, details });
}

/** Stores the state by the clock: an edit of the schedule must not undo a start that has happened. */
function edited(
  stored: StoredCampaign,
  { input, change, now }: { input: CampaignEditInput; change: ContentChange; now: Date },
): CampaignContent {
  const state = stateAt(stored, now);
  if (state === 'FINISHED' || state === 'ARCHIVED') {
    throw new AppError('conflict', { currentVersion: stored.version });
  }
  const content = { ...stored, ...change, state };
  const rules = inputRules();
  if (input.applicationId && input.applicationId !== stored.applicationId) {
    rules.refuse('input.applicationId', 'cannot be changed');
  }
  for (const { path, message } of missingFor(state, content, now)) rules.refuse(`input.${path}`, message);
  rules.assert();
  return content;
}
