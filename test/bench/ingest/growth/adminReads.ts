// The dashboard's reads, one after the other as a person causes them: campaign lists, and the counts that devices reported for campaigns.
import { askAdmin, postAdmin, type AdminRequest } from '../../../support/adminClient.ts';
import { median, percentile } from '../measure/statistics.ts';
import { withClient } from '../targets/benchDatabase.ts';

export interface AdminRead {
  name: string;
  requests: number;
  p50Millis: number;
  p95Millis: number;
}

const campaignCount = 200;
const outcomes = [
  'shown',
  ...['Completed', 'Dismissed', 'Unavailable', 'SkippedNoPresenter', 'SkippedNoContinuation'].map(
    (result) => `resolved:${result}`,
  ),
  ...['TimedOut', 'PresenterFailed', 'PresenterReported'].map((reason) => `unavailable:${reason}`),
];

const stats = `stats { shown resolved { completed dismissed unavailable skippedNoPresenter skippedNoContinuation }
  unavailableReasons { timedOut presenterFailed presenterReported } }`;
const row = 'id name state version priority allowedTransitions createdAt updatedAt';

export interface ReadPlan {
  rounds: number;
  /** Requests of each kind in each round. */
  requests: number;
}

/** Creates an organization with campaigns and counts on the service at `url`. The figures are medians of the rounds. */
export async function measureAdminReads(
  url: string,
  databaseUrl: string,
  { rounds, requests }: ReadPlan,
): Promise<AdminRead[]> {
  const workspace = await createCampaigns(url, databaseUrl);
  const { token, applicationId, campaignIds } = workspace;
  const questions: Record<string, (at: number) => Omit<AdminRequest, 'token'>> = {
    'campaigns, first page': () => ({ query: `{ campaigns { ${row} } }` }),
    'campaigns, first page with stats': () => ({ query: `{ campaigns { ${row} ${stats} } }` }),
    'campaigns, 200 with stats': () => ({ query: `{ campaigns(limit: 200) { ${row} ${stats} } }` }),
    'campaigns of one application, searched': (at) => ({
      query: `query Q($id: UUID, $search: String) { campaigns(applicationId: $id, state: DRAFT, search: $search) { ${row} } }`,
      variables: { id: applicationId, search: `campaign ${at % campaignCount}` },
    }),
    'one campaign with stats': (at) => ({
      query: `query Q($id: UUID!) { campaign(id: $id) { ${row} ${stats} } }`,
      variables: { id: campaignIds[at % campaignCount] },
    }),
  };
  const millis = new Map(Object.keys(questions).map((name) => [name, [] as number[][]]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, question] of Object.entries(questions)) {
      millis.get(name)!.push(await timesOf(requests, (at) => millisOf(url, { ...question(at), token })));
    }
  }
  return [...millis].map(([name, times]) => {
    const [p50Millis, p95Millis] = [0.5, 0.95].map((share) => median(times.map((sorted) => percentile(sorted, share))));
    return { name, requests, p50Millis: p50Millis!, p95Millis: p95Millis! };
  });
}

/** Sorted times. The first tenth of the calls warms up and is not counted. */
async function timesOf(count: number, millisOf: (at: number) => Promise<number>): Promise<number[]> {
  const millis: number[] = [];
  const warmUp = Math.ceil(count / 10);
  for (let at = 0; at < warmUp + count; at++) millis.push(await millisOf(at));
  return millis.slice(warmUp).sort((a, b) => a - b);
}

/** The time until the whole response has arrived. */
async function millisOf(url: string, request: AdminRequest): Promise<number> {
  const begun = performance.now();
  const response = await postAdmin(url, request);
  const text = await response.text();
  const millis = performance.now() - begun;
  if (response.status !== 200 || 'errors' in (JSON.parse(text) as object))
    throw new Error(`${text} to ${request.query}`);
  return millis;
}

async function ask(url: string, request: AdminRequest): Promise<Record<string, Record<string, unknown>>> {
  const { status, errors, data } = await askAdmin(url, request);
  if (status !== 200 || errors.length > 0) throw new Error(`${status} ${JSON.stringify(errors)} to ${request.query}`);
  return data as Record<string, Record<string, unknown>>;
}

async function createCampaigns(url: string, databaseUrl: string) {
  const input = {
    email: 'bench@example.com',
    password: 'a phrase for the bench',
    organization: 'Bench',
    name: 'Bench',
  };
  const signup = 'mutation M($input: RegistrationUserInput!) { signup(input: $input) { token } }';
  const token = (await ask(url, { query: signup, variables: { input } }))['signup']!['token'] as string;
  const edit = async (field: string, type: string, input: object): Promise<string> => {
    const query = `mutation M($input: ${type}!) { ${field}(input: $input) { id } }`;
    return (await ask(url, { query, variables: { input }, token }))[field]!['id'] as string;
  };
  const projectId = await edit('projectEdit', 'ProjectEditInput', { name: 'Bench' });
  const application = { projectId, name: 'Bench', bundleId: 'com.example.bench', platform: 'iOS' };
  const applicationId = await edit('applicationEdit', 'ApplicationEditInput', application);
  const campaignIds: string[] = [];
  for (let at = 0; at < campaignCount; at++) {
    const trigger = { event: 'LevelCompleted', type: 'CUSTOM' };
    campaignIds.push(
      await edit('campaignEdit', 'CampaignEditInput', { applicationId, name: `Campaign ${at}`, trigger }),
    );
  }
  await withClient(databaseUrl, (client) =>
    client.query(
      `INSERT INTO campaign_counts (campaign_id, outcome, count)
      SELECT id, outcome, 1000 FROM campaigns CROSS JOIN unnest($1::text[]) AS outcome`,
      [outcomes],
    ),
  );
  return { token, applicationId, campaignIds };
}
