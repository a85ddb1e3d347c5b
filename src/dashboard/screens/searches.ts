// What the URL of each screen names. The router checks it before the screen is loaded, so it stands apart from the screens.
import { z } from 'zod';
import { campaignStates } from '../parts/campaignStates.ts';
import { filters } from '../parts/filters.ts';
import { rangeSearch } from '../parts/range.ts';
import { flag, json, text, wholeNumber } from '../parts/searchParameters.ts';
import { breakdown, selection } from '../parts/selection.ts';

/** A value that cannot be used counts as not given. */
const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values).optional().catch(undefined);
const day = z.iso.date().optional().catch(undefined);
const instant = z.iso.datetime().optional().catch(undefined);
const uuid = z.uuid().optional().catch(undefined);
const currency = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .optional()
  .catch(undefined);

export const loginSearch = z.object({ next: text });
/** Of the screens that a mail leads to. */
export const tokenSearch = z.object({ token: text });

export const teamStatuses = ['active', 'invited', 'disabled'] as const;
export const teamSearch = z.object({
  q: text,
  role: oneOf(['viewer', 'editor', 'admin', 'owner']),
  status: oneOf(teamStatuses),
});
export type TeamSearch = z.infer<typeof teamSearch>;

export const auditSearch = z.object({
  actor: text,
  action: text,
  objectType: text,
  objectId: text,
  /** The moment before which the page begins. */
  before: instant,
});
export type AuditSearch = z.infer<typeof auditSearch>;

export const overviewFigures = ['active', 'new', 'sessions', 'events'] as const;
export const overviewSearch = rangeSearch.extend({ figure: oneOf(overviewFigures), test: flag });
export type OverviewSearch = z.infer<typeof overviewSearch>;

export const liveSearch = z.object({ filters: json(filters), test: flag });
export type LiveSearch = z.infer<typeof liveSearch>;

export const mostEvents = 5;
/** A chart has so many colours. */
export const mostLines = 7;
export const measures = ['COUNT', 'UNIQUE', 'PER_UNIT', 'SUM', 'AVERAGE', 'MEDIAN', 'P90'] as const;
export const eventsSearch = rangeSearch.extend({
  events: json(z.array(selection).max(mostEvents)),
  measure: oneOf(measures),
  property: text,
  breakdown: json(breakdown),
  /** The drawn lines by their keys. Absent: the first ones. */
  lines: json(z.array(z.string()).min(1).max(mostLines)),
  test: flag,
  /** A part of the names in the list below the report. */
  names: text,
  after: text,
});
export type EventsSearch = z.infer<typeof eventsSearch>;

export const mostSteps = 8;
/** In seconds. */
export const windowUnits = { MINUTE: 60, HOUR: 3_600, DAY: 86_400 } as const;
export type WindowUnit = keyof typeof windowUnits;
/** schema.graphql (FunnelWindowInput): at most 366 days. */
export const mostOf = (unit: WindowUnit): number => (366 * 86_400) / windowUnits[unit];
const within = z
  .object({ value: z.int().min(1), unit: z.enum(['MINUTE', 'HOUR', 'DAY']) })
  .refine(({ value, unit }) => value <= mostOf(unit));
export const funnelSearch = rangeSearch.extend({
  steps: json(z.array(selection).max(mostSteps)),
  within: json(within),
  order: oneOf(['ORDERED', 'ANY']),
  breakdown: json(breakdown),
  test: flag,
});
export type FunnelSearch = z.infer<typeof funnelSearch>;

/** schema.graphql (RetentionInput): 1 to 53 periods. */
export const mostPeriods = 53;
export const retentionSearch = rangeSearch.extend({
  /** Absent: the first activity. */
  start: json(selection),
  /** Absent: any activity. */
  returning: json(selection),
  mode: oneOf(['ON', 'ON_OR_AFTER']),
  periods: wholeNumber(1, mostPeriods),
  test: flag,
});
export type RetentionSearch = z.infer<typeof retentionSearch>;

export const deviceSorts = ['LAST_SEEN', 'FIRST_SEEN', 'SESSIONS'] as const;
export const devicesSearch = z.object({
  /** A part of the id or of the present user. */
  search: text,
  /** One user: all devices that are or were this user's. The other filters do not hold then. */
  user: text,
  filters: json(filters),
  /** A date in the application's zone. */
  since: day,
  sort: oneOf(deviceSorts),
  test: flag,
  after: text,
});
export type DevicesSearch = z.infer<typeof devicesSearch>;

/** The id is any text of up to 256 characters. It is not in the path, where a browser reads the id `..` as the folder above. */
export const deviceSearch = z.object({ id: text });

export const campaignsSearch = z.object({
  q: text,
  /** None: all but the archived ones. */
  states: json(z.array(z.enum(campaignStates)).min(1)),
  sort: oneOf(['CREATED', 'UPDATED', 'NAME', 'PRIORITY', 'STATE']),
  page: wholeNumber(1, 1_000_000),
});
export type CampaignsSearch = z.infer<typeof campaignsSearch>;

export const campaignSearch = rangeSearch.extend({ measure: oneOf(['COUNT', 'UNIQUE']) });

export const newCampaignSearch = z.object({
  /** The campaign to begin with. */
  copy: uuid,
});

export const revenueFigureNames = ['gross', 'net', 'refunds', 'purchases', 'renewals', 'payers'] as const;
export const revenueSearch = rangeSearch.omit({ unit: true }).extend({
  interval: oneOf(['DAY', 'WEEK', 'MONTH']),
  currency,
  by: oneOf(['NONE', 'PRODUCT', 'COUNTRY', 'PLATFORM']),
  figure: oneOf(revenueFigureNames),
  test: flag,
});
export type RevenueSearch = z.infer<typeof revenueSearch>;

export const subscriptionsSearch = z.object({ at: instant, test: flag });

export const transactionsSearch = z.object({
  state: oneOf(['PENDING', 'RESOLVED', 'NOT_FOUND', 'FAILED']),
  product: text,
  user: text,
  device: text,
  from: day,
  to: day,
  after: text,
  /** The id of the transaction that is shown in full. */
  open: text,
  /** Says of each transaction whether it counts in the revenue of this currency. */
  revenue: currency,
  /** The figure of that revenue that was opened: only its purchases, or only its renewals. */
  counts: oneOf(['purchase', 'renewal']),
  /** Whether that revenue has the sandbox in it. */
  test: flag,
});
export type TransactionsSearch = z.infer<typeof transactionsSearch>;

export const entitlementsSearch = z.object({
  user: text,
  device: text,
  active: flag,
  after: text,
  /** The id of the line that is shown in full. */
  open: text,
});
export type EntitlementsSearch = z.infer<typeof entitlementsSearch>;

/** Whether revoked keys are listed too. */
export const keysSearch = z.object({ revoked: flag });

export const deliveryStates = ['PENDING', 'DELIVERED', 'PARKED'] as const;
export const webhooksSearch = z.object({
  /** The one whose deliveries are listed. */
  webhook: uuid,
  state: oneOf(deliveryStates),
  after: text,
});
