// Campaigns made through the store, and what the tests of the configuration share.
import type { components } from '../../generated/openapi.ts';
import type { CampaignConfig } from '../../src/campaigns/campaignConfig.ts';
import type { CampaignContent, CampaignState, StoredCampaign } from '../../src/campaigns/campaignRecord.ts';
import { insertCampaign, updateCampaign } from '../../src/campaigns/campaignsStore.ts';
import { onlyThese } from '../../src/campaigns/writtenCampaigns.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import type { Answer } from './contractClient.ts';
import type { TestService } from './testService.ts';

export type Config = components['schemas']['CampaignConfig'];

/** The campaigns that a device is sent of it when it tells nothing of itself. */
export function deliveredIn({ bytes, campaigns }: CampaignConfig): Config['campaigns'] {
  return JSON.parse(`[${onlyThese(bytes, campaigns).toString()}]`) as Config['campaigns'];
}

/** In this order `allowedTransitions` lists them. */
export const campaignStates = [
  'DRAFT',
  'SCHEDULED',
  'ACTIVE',
  'PAUSED',
  'FINISHED',
  'ARCHIVED',
] as const satisfies CampaignState[];

export function aCampaign(fields: Partial<CampaignContent> = {}): CampaignContent {
  return {
    name: 'A campaign',
    description: null,
    state: 'ACTIVE',
    priority: 0,
    trigger: { event: 'LevelCompleted', type: 'CUSTOM', filters: [] },
    targeting: null,
    frequency: null,
    action: { type: 'message', payload: { text: 'hello' }, blocking: false },
    startAt: null,
    endAt: null,
    ...fields,
  };
}

type Place = Pick<TestService, 'database' | 'application'>;

export function storeCampaign(
  { database, application }: Place,
  fields: Partial<CampaignContent> = {},
  now = new Date(),
): Promise<StoredCampaign> {
  const campaign = { applicationId: application.id, content: aCampaign(fields), now };
  return inTransaction(database.pool, (transaction) => insertCampaign(transaction, campaign));
}

/** An edit as an admin operation makes it; answers the next version. */
export async function editCampaign(
  { database }: Pick<Place, 'database'>,
  campaign: StoredCampaign,
  fields: Partial<CampaignContent>,
): Promise<StoredCampaign> {
  const { id, version } = campaign;
  const content = { ...campaign, ...fields };
  const edit = { id, version, content, now: new Date() };
  return (await inTransaction(database.pool, (transaction) => updateCampaign(transaction, edit)))!;
}

export async function fetchConfig(
  { client, application }: Pick<TestService, 'client' | 'application'>,
  { query = '', tag = '' } = {},
): Promise<Answer & { body: Config }> {
  const headers = { 'X-Api-Key': application.key.public, ...(tag && { 'If-None-Match': tag }) };
  return (await client.get('getCampaigns', headers, query)) as Answer & { body: Config };
}

/** Tries again until it holds, for what reaches a process by a notification; fails after a second. */
export async function withinASecond(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 1_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error('did not happen within a second');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
