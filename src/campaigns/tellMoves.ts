// Writes the events about a campaign's moves, by a user or by the clock, in the transaction that holds the campaign's row.
import type { Transaction } from '../platform/database/transaction.ts';
import { enqueueWebhook } from '../webhooks/enqueueWebhook.ts';
import { findToldState, saveToldState } from './campaignClocksStore.ts';
import { chain, movesByClock, nextBoundary, type CampaignMove } from './campaignMoves.ts';
import type { CampaignState, StoredCampaign } from './campaignRecord.ts';
import { stateAt } from './campaignState.ts';

/**
 * After a user's write. A move by the clock that nobody has told yet comes before that of the user. Returns how many
 * deliveries the user's own move has written.
 */
export async function tellMoves(
  transaction: Transaction,
  { before, after, now }: { before: StoredCampaign; after: StoredCampaign; now: Date },
): Promise<number> {
  const told = await tellClock(transaction, before, now);
  const moves = chain(told, [{ to: after.state, at: now }]);
  const later = movesByClock(after.state, after, now);
  const deliveries = await enqueue(transaction, after, [...moves, ...later]);
  await note(transaction, after, { state: later.at(-1)?.to ?? after.state, now });
  return deliveries;
}

/** Each move is told once: the row of campaign_clocks says which state the last event told. */
export async function tellMoveByClock(transaction: Transaction, campaign: StoredCampaign, now: Date): Promise<void> {
  const state = await tellClock(transaction, campaign, now);
  await note(transaction, campaign, { state, now });
}

/** No event tells of a new campaign. */
export async function noteNewCampaign(transaction: Transaction, campaign: StoredCampaign, now: Date): Promise<void> {
  await note(transaction, campaign, { state: campaign.state, now });
}

async function tellClock(transaction: Transaction, campaign: StoredCampaign, now: Date): Promise<CampaignState> {
  const told = (await findToldState(transaction, campaign.id)) ?? stateAt(campaign, now);
  const moves = movesByClock(told, campaign, now);
  await enqueue(transaction, campaign, moves);
  return moves.at(-1)?.to ?? told;
}

async function note(
  transaction: Transaction,
  campaign: StoredCampaign,
  { state, now }: { state: CampaignState; now: Date },
): Promise<void> {
  await saveToldState(transaction, { campaignId: campaign.id, state, nextAt: nextBoundary(campaign, now) });
}

async function enqueue(transaction: Transaction, campaign: StoredCampaign, moves: CampaignMove[]): Promise<number> {
  const { id: campaignId, applicationId, version } = campaign;
  let deliveries = 0;
  for (const { from, to, at } of moves) {
    const data = { campaignId, from, to, version };
    const message = { applicationId, type: 'CAMPAIGN_STATE_CHANGED', orderKey: `campaign:${campaignId}` } as const;
    deliveries += await enqueueWebhook(transaction, { ...message, data, at });
  }
  return deliveries;
}
