// Creates campaigns through the store, and holds the helpers that the configuration tests share.
import type { components } from '../../generated/openapi.ts';
import { type CampaignConfig, onlyThese } from '../../src/campaigns/campaignDirectory.ts';
import type { CampaignContent, CampaignState, StoredCampaign } from '../../src/campaigns/campaignRecord.ts';
import { insertCampaign, updateCampaign } from '../../src/campaigns/heldCampaign.ts';
import type { ContractResponse } from './contractClient.ts';
import type { TestService } from './testService.ts';

export type Config = components['schemas']['CampaignConfig'];

/** The campaigns of the configuration that a device receives when it sends no properties. */
export function deliveredIn({ bytes, campaigns }: CampaignConfig): Config['campaigns'] {
  return JSON.parse(`[${onlyThese(bytes, campaigns).toString()}]`) as Config['campaigns'];
}

/** The order in which `allowedTransitions` lists the states. */
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
  const campaign = { applicationId: application.id, content: aCampaign(fields), now, by: null };
  return insertCampaign(database.pool, campaign);
}

/** Stores an edit as an admin operation does, and returns the next version. */
export function editCampaign(
  { database }: Pick<Place, 'database'>,
  campaign: StoredCampaign,
  fields: Partial<CampaignContent>,
): Promise<StoredCampaign> {
  return updateCampaign(database.pool, campaign.id, { content: { ...campaign, ...fields }, now: new Date(), by: null });
}

export async function fetchConfig(
  { client, application }: Pick<TestService, 'client' | 'application'>,
  { query = '', tag = '' } = {},
): Promise<ContractResponse & { body: Config }> {
  const headers = { 'X-Api-Key': application.key.public, ...(tag && { 'If-None-Match': tag }) };
  return (await client.get('getCampaigns', headers, query)) as ContractResponse & { body: Config };
}

/**
 * Looks until the condition holds, and fails when a look that began more than a second later is in vain. One that began
 * earlier proves nothing, however long it took. For changes that reach a process by a notification.
 */
export async function withinASecond(holds: () => Promise<boolean> | boolean): Promise<void> {
  const end = performance.now() + 1_000;
  for (;;) {
    const isLast = performance.now() > end;
    if (await holds()) return;
    if (isLast) throw new Error('did not happen within a second');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
