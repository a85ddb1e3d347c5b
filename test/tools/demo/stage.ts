// Prepares a run: it creates an application with credentials for the fake store, and the campaigns.
import type { CampaignState } from '../../../generated/graphql.ts';
import type { Database } from '../../../src/platform/database/database.ts';
import type { AdminApi } from './adminApi.ts';
import { createCampaign } from './createCampaign.ts';
import { durationDays } from './customers/story.ts';
import { openDatabaseReadBack } from './databaseReadBack.ts';
import { demoCampaigns, pausedCampaign, type DemoCampaign } from './demoCampaigns.ts';
import { newAccount } from './fakeStore/account.ts';
import type { FakeStore } from './fakeStore/fakeStore.ts';
import { setStoreCredentials } from './setStoreCredentials.ts';

export interface StagedCampaign extends DemoCampaign {
  id: string;
}

export interface Stage {
  applicationId: string;
  bundleId: string;
  key: { public: string; secret: string };
  campaigns: StagedCampaign[];
  paused: StagedCampaign;
}

export interface StageParts {
  admin: AdminApi;
  database: Pick<Database, 'pool'>;
  store: Pick<FakeStore, 'allow'>;
  runId: string;
  startedAt: Date;
}

/** Throws when the database is not the service's. */
export async function setStage({ admin, database, store, runId, startedAt }: StageParts): Promise<Stage> {
  const bundleId = `com.example.demo.${runId}`;
  const { id: applicationId, key } = await createApplication(admin, { name: `Demo run ${runId}`, bundleId });
  await openDatabaseReadBack(database.pool, key.public);
  const credentials = newAccount(bundleId);
  store.allow(credentials);
  await setStoreCredentials(admin, applicationId, credentials);
  await setDurations(admin, applicationId);
  const campaigns: StagedCampaign[] = [];
  for (const campaign of [pausedCampaign, ...demoCampaigns(startedAt)]) {
    const id = await createCampaign(admin, applicationId, campaign.input);
    await changeState(admin, id, campaign.state);
    campaigns.push({ ...campaign, id });
  }
  return { applicationId, bundleId, key, campaigns, paused: campaigns[0]! };
}

export async function changeState(admin: AdminApi, id: string, state: CampaignState): Promise<void> {
  await admin.ask(
    'mutation Move($id: UUID!, $state: CampaignState!) { campaignChangeState(id: $id, state: $state) { state } }',
    { id, state },
  );
}

/** The store gives these products no end. */
async function setDurations(admin: AdminApi, applicationId: string): Promise<void> {
  for (const [productId, days] of Object.entries(durationDays)) {
    await admin.ask('mutation Lasts($input: ProductEditInput!) { productEdit(input: $input) { productId } }', {
      input: { applicationId, productId, durationDays: days },
    });
  }
}

interface NewApplication {
  applicationEdit: { id: string; apiKeys: { public: string; secret: string }[] };
}

async function createApplication(admin: AdminApi, { name, bundleId }: { name: string; bundleId: string }) {
  const input = { projectId: await someProject(admin), name, bundleId, platform: 'iOS' };
  const { applicationEdit } = await admin.ask<NewApplication>(
    `mutation Create($input: ApplicationEditInput!) {
      applicationEdit(input: $input) { id apiKeys { public secret } }
    }`,
    { input },
  );
  return { id: applicationEdit.id, key: applicationEdit.apiKeys[0]! };
}

async function someProject(admin: AdminApi): Promise<string> {
  const { projects } = await admin.ask<{ projects: { id: string }[] }>('query Projects { projects { id } }');
  if (projects[0]) return projects[0].id;
  const created = await admin.ask<{ projectEdit: { id: string } }>(
    'mutation Project { projectEdit(input: { name: "Demo" }) { id } }',
  );
  return created.projectEdit.id;
}
