// What the dashboard reads of campaigns: lists, counts, the history, and the fields of Campaign that are no columns.
import DataLoader from 'dataloader';
import type { Pool } from 'pg';
import type { CampaignHistoryArgs, CampaignSort, QueryCampaignsCountArgs } from '../../generated/graphql.ts';
import {
  concat,
  measured,
  prepared,
  raw,
  sql,
  type Sql,
  type SqlConnection,
  whileItFits,
} from '../platform/database/sql.ts';
import { inputRules, type InputRules, isBlank, readLimit } from '../platform/inputRules.ts';
import { type ResponseBudget, type Batch, batchRows, costOfLists, type Room } from '../platform/responseBudget.ts';
import {
  type Caller,
  type ViewedApplication,
  withViewer,
  type WithViewer,
  type WorkspaceLoaders,
} from '../workspace/workspace.ts';
import {
  allowedTransitions,
  type CampaignState,
  type FieldChange,
  stateAt,
  type StoredCampaign,
} from './campaignRecord.ts';
import { ownedCampaigns, shortColumns } from './heldCampaign.ts';

const newestChanges = 20;

/** Who changed the campaign, when and what, page by page, for every role. Throws `validation_failed`. */
async function campaignHistory(
  { id, caller: { organizationId } }: SeenCampaign,
  args: Partial<CampaignHistoryArgs>,
  { loaders }: { loaders: CampaignLoaders },
) {
  const rules = inputRules();
  const limit = readLimit(rules, args.limit, { byDefault: newestChanges });
  rules.assert();
  const found = await loaders.campaignHistory({ organizationId, limit, before: args.before ?? null }).load(id);
  return found.map(({ at, by, action, details, changes }) => {
    const { version, from: fromState = null, to: toState = null, fields = [] } = details;
    const kept: KeptChange[] = changes ?? fields.map((field) => ({ field }));
    const shown = kept.map((change) => ({ ...change, valuesKept: 'after' in change }));
    return { version, at, by, action, fromState, toState, changes: shown };
  });
}

export type SeenCampaign = WithViewer<ListedCampaign>;

interface Clock {
  now(): Date;
}

/** Null and absent lists restrict nothing. The schema shows them as empty lists. */
export const campaignFields = {
  async application(
    { applicationId, caller }: SeenCampaign,
    _args: unknown,
    { loaders }: { loaders: WorkspaceLoaders },
  ): Promise<ViewedApplication> {
    return withViewer(caller, await loaders.application.load(applicationId));
  },
  state: (campaign: SeenCampaign, _args: unknown, { now }: Clock): CampaignState => stateAt(campaign, now()),
  allowedTransitions: (campaign: SeenCampaign, _args: unknown, { now }: Clock): CampaignState[] =>
    allowedTransitions(stateAt(campaign, now())),
  trigger: ({ trigger }: SeenCampaign) => (trigger ? { ...trigger, filters: trigger.filters ?? [] } : null),
  targeting: ({ targeting }: SeenCampaign) =>
    targeting
      ? {
          ...targeting,
          platforms: targeting.platforms ?? [],
          countries: targeting.countries ?? [],
          userProperties: targeting.userProperties ?? [],
        }
      : null,
  schedule: ({ startAt, endAt }: SeenCampaign) => (startAt || endAt ? { startAt, endAt } : null),
  action: ({ action }: SeenCampaign) => (action ? { ...action, blocking: action.blocking ?? false } : null),
  history: campaignHistory,
  // Not a promise where the counts are there: promises in 200 rows took a sixth of the time of the whole response.
  stats: (
    { id, counts }: SeenCampaign,
    _args: unknown,
    { loaders }: { loaders: CampaignLoaders },
  ): CampaignStats | Promise<CampaignStats> =>
    counts === undefined ? loaders.campaignStats.load(id) : statsOf(counts),
};

type HistoryOfCampaign = Batch<string, CampaignChangeRecord[]>;

export interface CampaignLoaders {
  campaignStats: Batch<string, CampaignStats>;
  /** `page` applies to each campaign. An alias may ask for another page. */
  campaignHistory(page: HistoryPage): HistoryOfCampaign;
}

export function createCampaignLoaders(adminPool: Pool, budget: ResponseBudget): CampaignLoaders {
  const fetch = (ids: readonly string[]) => campaignStats(adminPool, ids);
  const histories = new Map<string, HistoryOfCampaign>();
  return {
    campaignStats: batchRows(budget, fetch, ({ id }) => id),
    campaignHistory(page) {
      const key = `${page.organizationId} ${page.limit} ${page.before?.getTime()}`;
      const loader = histories.get(key) ?? historyLoader(adminPool, budget, page);
      histories.set(key, loader);
      return loader;
    },
  };
}

function historyLoader(adminPool: Pool, budget: ResponseBudget, page: HistoryPage): HistoryOfCampaign {
  const fetch = async (ids: readonly string[], room: Room) => {
    const histories = new Map<string, CampaignChangeRecord[]>(ids.map((id) => [id, []]));
    const found = await findCampaignChanges(adminPool, [...histories.keys()], { ...page, room });
    for (const change of found) histories.get(change.campaignId)?.push(change);
    return ids.map((id) => histories.get(id)!);
  };
  return new DataLoader((ids) => budget.read((room) => fetch(ids, room), costOfHistories), { cache: false });
}

/** Each changed field counts beside its change: both are objects of a list. */
function costOfHistories(histories: readonly CampaignChangeRecord[][]) {
  const { rows, bytes } = costOfLists(histories, (change) => change.bytes);
  const fields = histories
    .flat()
    .reduce((sum, { changes, details }) => sum + (changes ?? details.fields ?? []).length, 0);
  return { rows: rows + fields, bytes };
}

/** Without `before` and `after` where the values were not kept. */
type KeptChange = Pick<FieldChange, 'field'> & Partial<FieldChange>;

interface CampaignChangeRecord {
  campaignId: string;
  at: Date;
  by: string;
  action: string;
  details: { version: number; from?: CampaignState; to?: CampaignState; fields?: string[] };
  /** Null for a move, and for an edit whose values were not kept. */
  changes: KeptChange[] | null;
  bytes: number;
}

interface HistoryPage {
  organizationId: string;
  /** For each campaign. */
  limit: number;
  before: Date | null;
}

/** SQL, because of its plan: of each of several campaigns the newest changes. `room` is that of the whole response. */
async function findCampaignChanges(
  connection: SqlConnection,
  campaignIds: readonly string[],
  { organizationId, limit, before, room }: HistoryPage & { room: { limit: number; bytes: number } },
): Promise<CampaignChangeRecord[]> {
  const statement = sql`/* campaigns: findCampaignChanges */
    SELECT line."campaignId", line.at, line.actor AS by, line.action, line.details, long.bytes,
      ${whileItFits('line.changes', room.bytes)} AS changes
    FROM (
      SELECT wanted.id AS "campaignId", wanted.place, page.*, c.changes
      FROM unnest(${campaignIds}::uuid[]) WITH ORDINALITY AS wanted (id, place)
      CROSS JOIN LATERAL (
        SELECT at, id AS line, actor, action, details FROM audit_entries
        WHERE organization_id = ${organizationId} AND object_id = wanted.id::text AND object_type = 'campaign'
          AND action IN ('campaignEdit', 'campaignChangeState') AND at < coalesce(${before}::timestamptz, 'infinity')
        ORDER BY at DESC, line DESC LIMIT ${limit}) AS page
      LEFT JOIN campaign_changes c ON c.campaign_id = wanted.id AND c.version = (page.details ->> 'version')::integer
      ORDER BY wanted.place, page.at DESC, page.line DESC LIMIT ${room.limit}) AS line
    ${measured('line.actor', 'line.details', 'line.changes')}
    ORDER BY line.place, line.at DESC, line.line DESC`;
  const { rows } = await connection.query<CampaignChangeRecord>(statement);
  return rows;
}

export function readCampaignFilters(
  rules: InputRules,
  { applicationId, state, states, search }: Partial<QueryCampaignsCountArgs>,
): CampaignFilters {
  if (state && states) rules.refuse('states', 'must be absent beside `state`');
  const wanted = state ? [state] : [...new Set(states ?? [])];
  return {
    applicationId: applicationId ?? null,
    states: wanted.length > 0 ? wanted : null,
    search: search == null || isBlank(search) ? null : rules.text('search', search, 256),
  };
}

/** As `stateAt` (campaignRecord.ts) derives the state; a test holds the two together. */
const stateNow = (now: Date) => sql`CASE
  WHEN c.state NOT IN ('SCHEDULED', 'ACTIVE') THEN c.state::text
  WHEN c.end_at <= ${now} THEN 'FINISHED'
  WHEN c.start_at <= ${now} THEN 'ACTIVE'
  ELSE c.state::text END`;

/** Null restricts nothing. */
interface CampaignFilters {
  applicationId: string | null;
  /** By the clock. */
  states: CampaignState[] | null;
  /** Part of the name, by its lower case. */
  search: string | null;
}

interface FilteredCampaigns extends CampaignFilters {
  organizationId: string;
  /** The applications that a service token reaches. Null: all of the organization. */
  reached: readonly string[] | null;
  now: Date;
}

interface CampaignSearch extends FilteredCampaigns {
  sort: CampaignSort;
  limit: number;
  offset: number;
  /** The long fields that the request selects. PostgreSQL sends no other long field. */
  bytes: number;
}

export const scopeOf = ({ organizationId, service }: Caller) => ({
  organizationId,
  reached: service?.applicationIds ?? null,
});

const longColumns = {
  trigger: 'c.trigger',
  targeting: 'c.targeting',
  frequency: 'c.frequency',
  action: 'c.action',
};
/** Beside the payload, the fields of an action are short. */
const withoutPayload = "c.action - 'payload'";

type LongField = keyof typeof longColumns;
export type ListField = LongField | 'action.payload' | 'stats';

/** `counts` are for `stats`. A long field that was not selected is missing. */
type ListedCampaign = Omit<StoredCampaign, LongField> &
  Partial<Pick<StoredCampaign, LongField>> & { counts?: CampaignCounts };

/** The same order on every machine: without COLLATE the database's locale would decide. */
const nameOrder = sql`lower(c.name) COLLATE "C"`;

const orders: Record<CampaignSort, (now: Date) => Sql> = {
  CREATED: () => sql`c.created_at DESC, c.id DESC`,
  UPDATED: () => sql`c.updated_at DESC, c.id DESC`,
  NAME: () => sql`${nameOrder}, c.id`,
  PRIORITY: () => sql`c.priority DESC, c.id`,
  STATE: (now) => sql`(${stateNow(now)})::campaign_state, c.id`,
};

/** Of `ownedCampaigns`. */
const matches = ({ organizationId, reached, applicationId, states, search, now }: FilteredCampaigns) => sql`
  p.organization_id = ${organizationId}
  AND (${reached}::uuid[] IS NULL OR c.application_id = ANY (${reached}::uuid[]))
  AND (${applicationId}::uuid IS NULL OR c.application_id = ${applicationId})
  AND (${states}::text[] IS NULL OR ${stateNow(now)} = ANY (${states}::text[]))
  AND (${search}::text IS NULL OR strpos(lower(c.name), lower(${search}::text)) > 0)`;

/**
 * SQL, because it measures long fields and derives the state by the clock. `bytes` of the long fields. Fields that are not
 * selected are not read: they took 7 % of the processor time of a list of 200.
 */
export async function findCampaigns(
  connection: SqlConnection,
  search: CampaignSearch,
  selects: (field: ListField) => boolean,
): Promise<(ListedCampaign & { bytes: number })[]> {
  const long = (Object.keys(longColumns) as LongField[]).filter(selects);
  const sourceOf = (field: LongField): string =>
    field === 'action' && !selects('action.payload') ? withoutPayload : longColumns[field];
  const fitting = long.map((field) => sql`, ${whileItFits(sourceOf(field), search.bytes)} AS ${raw(field)}`);
  const columns = [...fitting, ...(selects('stats') ? [sql`, ${countsColumn}`] : [])];
  const more = [...(selects('action.payload') ? ['payload'] : []), ...(selects('stats') ? ['stats'] : [])];
  // PostgreSQL keeps only 63 characters of a statement's name.
  const name = ['campaigns', ...long, ...more, search.sort[0]!.toLowerCase()].join('_');
  const { sort, now, limit, offset } = search;
  const order = orders[sort](now);
  const statement = prepared(name)`/* campaigns: findCampaigns */
    SELECT ${shortColumns}, long.bytes${concat(columns)}
    FROM (
      SELECT c.* FROM ${ownedCampaigns}
      WHERE ${matches(search)}
      ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}) AS c
    ${measured('c.name', 'c.description', ...long.map(sourceOf))}
    ORDER BY ${order}`;
  const { rows } = await connection.query<ListedCampaign & { bytes: number }>(statement);
  return rows;
}

/** SQL, because it derives the state by the clock. On all pages. */
export async function countCampaigns(connection: SqlConnection, filters: FilteredCampaigns): Promise<number> {
  const statement = prepared('count_campaigns')`/* campaigns: countCampaigns */
    SELECT count(*)::integer AS count FROM ${ownedCampaigns} WHERE ${matches(filters)}`;
  const { rows } = await connection.query<{ count: number }>(statement);
  return rows[0]!.count;
}

/** The writer of sessions keeps the counts. */
export interface CampaignStats {
  shown: number;
  suspect: number;
  resolved: {
    completed: number;
    dismissed: number;
    unavailable: number;
    skippedNoPresenter: number;
    skippedNoContinuation: number;
  };
  unavailableReasons: { timedOut: number; presenterFailed: number; presenterReported: number };
}

/** By outcome; null for a campaign without reports. */
type CampaignCounts = Record<string, number> | null;

/** The counts of the campaign `c`, as a column of a statement that reads campaigns. Rows of shows are those of days that go on. */
const countsColumn = sql`(
  SELECT json_object_agg(counted.outcome, counted.count) FROM (
    SELECT outcome, count FROM campaign_counts WHERE campaign_id = c.id
    UNION ALL
    SELECT 'suspect:open', sum(suspect) FROM campaign_shows WHERE campaign_id = c.id AND suspect > 0 HAVING count(*) > 0
  ) counted
) AS counts`;

/** SQL, because it adds up two tables. In no order; zeros for a campaign without counts. */
export async function campaignStats(
  pool: Pick<Pool, 'query'>,
  ids: readonly string[],
): Promise<(CampaignStats & { id: string })[]> {
  const statement = sql`/* campaigns: campaignStats */
    SELECT c.id, ${countsColumn} FROM unnest(${ids}::uuid[]) AS c (id)`;
  const { rows } = await pool.query<{ id: string; counts: CampaignCounts }>(statement);
  return rows.map(({ id, counts }) => ({ id, ...statsOf(counts) }));
}

export function statsOf(counts: CampaignCounts): CampaignStats {
  const count = (outcome: string): number => counts?.[outcome] ?? 0;
  return {
    shown: count('shown'),
    suspect: count('suspect') + count('suspect:open'),
    resolved: {
      completed: count('resolved:Completed'),
      dismissed: count('resolved:Dismissed'),
      unavailable: count('resolved:Unavailable'),
      skippedNoPresenter: count('resolved:SkippedNoPresenter'),
      skippedNoContinuation: count('resolved:SkippedNoContinuation'),
    },
    unavailableReasons: {
      timedOut: count('unavailable:TimedOut'),
      presenterFailed: count('unavailable:PresenterFailed'),
      presenterReported: count('unavailable:PresenterReported'),
    },
  };
}
