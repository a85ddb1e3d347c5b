/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** A figure of `activity` that can be opened. */
export type ActivityFigure =
  /** `active`. */
  | 'ACTIVE'
  /** `new`. */
  | 'NEW'
  /** `sessions`: the devices that have brought them. */
  | 'SESSIONS';

/** A figure of `activity`. */
export type ActivityFigureInput = {
  /** Which one. Null: `ACTIVE`. */
  figure?: ActivityFigure | null | undefined;
  /** `start` of a point in the response. Null or absent: the whole range. No device is behind any other instant. */
  start?: string | null | undefined;
};

/** The input of `activity`. */
export type ActivityInput = {
  /** The application. */
  applicationId: string;
  /** Whether the response has `previous`. Null: false. */
  compare?: boolean | null | undefined;
  /** The first day. */
  from: string;
  /** Whether test devices count too. Null: false. */
  includeTest?: boolean | null | undefined;
  /** The length of the points. Null: `DAY`. */
  interval?: ReportInterval | null | undefined;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: string | null | undefined;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: string;
  /** What is counted. Null: `DEVICE`. */
  unit?: AnalyticsUnit | null | undefined;
};

/** What is counted, see "Units and counts". */
export type AnalyticsUnit =
  /** Devices. */
  | 'DEVICE'
  /** Users, and devices without a user. */
  | 'USER';

/** The input of `applicationEdit`. In an edit absent fields stay as they are. */
export type ApplicationEditInput = {
  /** The bundle or package identifier, by the rules of names ("Limits"). Required for a new application. Null is refused. */
  bundleId?: string | null | undefined;
  /** Who holds a purchase that uploads by several external ids have brought. Null sets it to `KEEP`. */
  entitlementPolicy?: EntitlementPolicy | null | undefined;
  /** The application to edit. Null or absent: a new application. */
  id?: string | null | undefined;
  /** The picture, at most 2,048 characters. Null or an empty text clears it (`Application.image` is then empty). */
  image?: string | null | undefined;
  /** The name, 1 to 256 characters, not blank. Required for a new application. Null is refused. */
  name?: string | null | undefined;
  /** `iOS` or `Android`. Required for a new application. Null is refused. */
  platform?: string | null | undefined;
  /** The project. Required for a new application. In an edit it moves the application to this project. Null is refused. */
  projectId?: string | null | undefined;
  /**
   * The devices of testers: at most 100 different ids, each 1 to 256 characters, not blank, taken as they are. The list
   * replaces the one before. Null or an empty list: none.
   */
  testDevices?: Array<string> | null | undefined;
  /**
   * A name of the IANA time zone database, for example `Europe/Berlin`, in upper or lower case. At most 64 characters. The
   * service stores it in the spelling of that database, and an alias (`Asia/Calcutta`) as the alias. Null sets it to `UTC`.
   */
  timeZone?: string | null | undefined;
};

/** The property by which the counted events are broken down, see "Breakdowns". */
export type BreakdownInput = {
  /** The name, as `PropertyFilterInput.property`. */
  property: string;
  /** Where the property belongs. */
  scope: PropertyScope;
};

/** See `CampaignAction`. */
export type CampaignActionInput = {
  /** Whether the app waits for the outcome. Null: false. */
  blocking?: boolean | null | undefined;
  /** 1 to 86,400 seconds, for a blocking action only (`BAD_USER_INPUT` otherwise). Null or absent: the SDK's default. */
  deadlineSeconds?: number | null | undefined;
  /**
   * The data of the action: any JSON value, at most 64 KiB (65,536 bytes) in UTF-8 as JSON without white space and with
   * its numbers written out (1e-7 counts as 0.0000001). Whole numbers in it lie within ±(2^53-1). Null or absent: no data.
   * Devices get the same value. The service does not keep the order of an object's members.
   */
  payload?: unknown;
  /** A word that the app understands, 1 to 256 characters, not blank, taken as it is. */
  type: string;
};

/**
 * The input of `campaignEdit`. In an edit an absent field stays as it is, an explicit null clears it, and the five objects
 * are replaced as a whole.
 */
export type CampaignEditInput = {
  /** The action that the app takes. Null clears it. */
  action?: CampaignActionInput | null | undefined;
  /**
   * The application. Required for a new campaign. An edit may repeat it but not change it (`BAD_USER_INPUT`). Null is
   * refused.
   */
  applicationId?: string | null | undefined;
  /** At most 4,096 characters. The service takes them as they are. Null clears the description. */
  description?: string | null | undefined;
  /**
   * The `Campaign.version` that the user has seen. If another version is stored: `CONFLICT`. Null or absent: any stored
   * version. Not for a new campaign (`BAD_USER_INPUT`).
   */
  expectedVersion?: number | null | undefined;
  /** The caps on how often a device shows the campaign. Null: no cap. */
  frequency?: CampaignFrequencyInput | null | undefined;
  /** The campaign to edit. Null or absent: a new campaign. */
  id?: string | null | undefined;
  /** The name, 1 to 256 characters, not blank. Required for a new campaign. Null is refused. */
  name?: string | null | undefined;
  /** 0 to 1000. Null sets it to 0. */
  priority?: number | null | undefined;
  /** The time in which the campaign runs. Null clears both ends, and so does `{}`: it comes back as null. */
  schedule?: CampaignScheduleInput | null | undefined;
  /** The devices and users that the campaign is for. Null: all of them. */
  targeting?: CampaignTargetingInput | null | undefined;
  /** The event that sets the campaign off. Null clears it. */
  trigger?: CampaignTriggerInput | null | undefined;
};

/** See `CampaignFrequency`. */
export type CampaignFrequencyInput = {
  /** 1 to 31,536,000 seconds (a year) between two shows. Null or absent: no wait. */
  cooldownSeconds?: number | null | undefined;
  /** 1 to 1,000,000 in one day of the device's calendar. Null or absent: no cap. */
  perDay?: number | null | undefined;
  /** 1 to 1,000,000 in one session. Null or absent: no cap. */
  perSession?: number | null | undefined;
  /** 1 to 1,000,000 over all time. Null or absent: no cap. */
  total?: number | null | undefined;
};

/** See `CampaignSchedule`. */
export type CampaignScheduleInput = {
  /**
   * When the campaign becomes `FINISHED`. It must be after `startAt` where both are given. Null or absent: somebody ends
   * it by hand.
   */
  endAt?: string | null | undefined;
  /** When a `SCHEDULED` campaign becomes `ACTIVE`. It may be in the past. Null or absent: somebody starts it by hand. */
  startAt?: string | null | undefined;
};

/**
 * The states of a campaign.
 *
 * ## States and moves
 *
 * `campaignChangeState` can make these moves:
 *
 * | From | To |
 * |---|---|
 * | `DRAFT` | `SCHEDULED`, `ACTIVE`, `ARCHIVED` |
 * | `SCHEDULED` | `DRAFT`, `ACTIVE`, `PAUSED`, `ARCHIVED` |
 * | `ACTIVE` | `PAUSED`, `FINISHED` |
 * | `PAUSED` | `ACTIVE`, `FINISHED`, `ARCHIVED` |
 * | `FINISHED` | `ARCHIVED` |
 * | `ARCHIVED` | nothing |
 *
 * The clock moves campaigns without anybody's help: `SCHEDULED` becomes `ACTIVE` at `schedule.startAt`, and `SCHEDULED`
 * and `ACTIVE` become `FINISHED` at `schedule.endAt`. A response always has the state of its moment.
 *
 * `SCHEDULED` needs `schedule.startAt`. `SCHEDULED` and `ACTIVE` need `trigger`, `action`, and a `schedule.endAt` that is
 * in the future or absent. Otherwise the response is `BAD_USER_INPUT` with the paths.
 */
export type CampaignState =
  /** The campaign runs on devices. After activation by hand it runs at once, whatever `schedule.startAt` says. */
  | 'ACTIVE'
  /** Put away. This state is final. The campaign stays readable. */
  | 'ARCHIVED'
  /** Somebody is still writing the campaign. Devices do not get it. It may be incomplete. */
  | 'DRAFT'
  /**
   * The campaign is over, by hand or at `schedule.endAt`. Nobody can edit it or start it again. Statistics still grow by
   * late uploads.
   */
  | 'FINISHED'
  /**
   * Somebody has stopped the campaign for now. Devices drop it at their next fetch. It stays paused past `schedule.endAt`,
   * until somebody moves it.
   */
  | 'PAUSED'
  /** The campaign waits for `schedule.startAt`. Devices already have it, so that it starts on time without a connection. */
  | 'SCHEDULED';

/** See `CampaignTargeting`. */
export type CampaignTargetingInput = {
  /** The app's version at installation. Null or absent: any version. */
  appInstallVersion?: VersionRangeInput | null | undefined;
  /** The app's version now. Null or absent: any version. */
  appVersion?: VersionRangeInput | null | undefined;
  /** Codes exactly as in `Country.code` (249 of them), each once. Null, absent or empty: any country. */
  countries?: Array<string> | null | undefined;
  /** The operating system's version. Null or absent: any version. */
  osVersion?: VersionRangeInput | null | undefined;
  /** `iOS`, `Android` or both, each once. Null, absent or empty: any platform. */
  platforms?: Array<string> | null | undefined;
  /** The SDK's version. Null or absent: any version. */
  sdkVersion?: VersionRangeInput | null | undefined;
  /**
   * At most 20 groups of 1 to 20 conditions. At least one group must hold. A group holds when all its conditions hold.
   * Null, absent or empty: any user.
   *
   *     "userProperties": [[{"name": "plan", "op": "EQ", "value": "pro"}], [{"name": "seats", "op": "GTE", "value": 5}]]
   */
  userProperties?: Array<Array<UserPropertyConditionInput>> | null | undefined;
};

/** See `CampaignTriggerFilter`. */
export type CampaignTriggerFilterInput = {
  /** The comparison. */
  op: ConditionOperator;
  /** The parameter's name, 1 to 256 characters, not blank, taken as it is. */
  param: string;
  /**
   * The value to compare with:
   *
   * - `EQ`, `NEQ`: a string (at most 8,192 characters), a number or a boolean.
   * - `GT`, `GTE`, `LT`, `LTE`: a number or a string.
   * - `CONTAINS`: a string, not empty.
   * - `IN`, `NOT_IN`: a list of 1 to 100 strings, numbers or booleans.
   * - `EXISTS`, `NOT_EXISTS`: absent or null.
   *
   * Whole numbers lie within ±(2^53-1). An error in one entry of a list is at the entry's path,
   * `input.trigger.filters[0].value[3]`.
   */
  value?: unknown;
};

/** See `CampaignTrigger`. */
export type CampaignTriggerInput = {
  /**
   * The name of the event, 1 to 256 characters, not blank. The service takes it as it is: white space around it counts,
   * because the app may track such a name. `CampaignTrigger.event` says which names are allowed for which type.
   */
  event: string;
  /** At most 50 conditions. All of them must hold. Null, absent or empty: no conditions. */
  filters?: Array<CampaignTriggerFilterInput> | null | undefined;
  /** Whether the app or the SDK records that event. */
  type: EventType;
};

/**
 * The comparison of a condition.
 *
 * ## Conditions
 *
 * A condition compares the device's value with the condition's `value`. A missing value fulfils `NOT_EXISTS` and no other
 * operator. Values of different types are not equal and have no order. `CampaignTriggerFilterInput.value` says which
 * values each operator takes.
 */
export type ConditionOperator =
  /** Text that contains the given text, with regard to upper and lower case. The given text must not be empty. */
  | 'CONTAINS'
  /** Equal. For text with regard to upper and lower case. */
  | 'EQ'
  /** Present, with any value. The condition has no `value`. */
  | 'EXISTS'
  /** Greater. For numbers, and for text by code points. */
  | 'GT'
  /** Greater or equal. For numbers, and for text by code points. */
  | 'GTE'
  /** Equal to one of a list, which has 1 to 100 entries. */
  | 'IN'
  /** Less. For numbers, and for text by code points. */
  | 'LT'
  /** Less or equal. For numbers, and for text by code points. */
  | 'LTE'
  /** Present, and not equal. */
  | 'NEQ'
  /** Missing. The condition has no `value`. */
  | 'NOT_EXISTS'
  /** Present, and equal to none of a list, which has 1 to 100 entries. */
  | 'NOT_IN';

/** The order of `devices`. */
export type DeviceSort =
  /** The one first seen last first. */
  | 'FIRST_SEEN'
  /** The one seen last first. */
  | 'LAST_SEEN'
  /** The one with the most sessions first. */
  | 'SESSIONS';

/** The question whose figure is opened. Exactly one field. */
export type DevicesBehindInput =
  {   /** As asked at `activity`. */
  activity: ActivityInput; eventSeries?: never; funnel?: never; retention?: never; }
  |  { activity?: never;   /** As asked at `eventSeries`. */
  eventSeries: EventSeriesInput; funnel?: never; retention?: never; }
  |  { activity?: never; eventSeries?: never;   /** As asked at `funnel`. */
  funnel: FunnelInput; retention?: never; }
  |  { activity?: never; eventSeries?: never; funnel?: never;   /** As asked at `retention`. */
  retention: RetentionInput; };

/** The figure that is opened. Exactly one field, the same as of `of`. */
export type DevicesBehindPointInput =
  {   /** A figure of `activity`. */
  activity: ActivityFigureInput; eventSeries?: never; funnel?: never; retention?: never; }
  |  { activity?: never;   /** A figure of `eventSeries`. */
  eventSeries: EventSeriesFigureInput; funnel?: never; retention?: never; }
  |  { activity?: never; eventSeries?: never;   /** A figure of `funnel`. */
  funnel: FunnelFigureInput; retention?: never; }
  |  { activity?: never; eventSeries?: never; funnel?: never;   /** A figure of `retention`. */
  retention: RetentionFigureInput; };

/** Who holds a line with an owner that uploads by another `external_id` bring too ("Owners", at `Entitlement`). */
export type EntitlementPolicy =
  /** The owner's devices hold it, and no others. */
  | 'KEEP'
  /**
   * All of them hold it. That is on purpose, also for a stranger who has learned the id of the transaction: choose it only
   * where an app wants that. Where an account token names the owner, they hold it beside the owner.
   */
  | 'SHARE'
  /**
   * The `external_id` of the latest upload takes it, and everybody else loses it. Where an account token names the owner, it
   * stays the owner's.
   */
  | 'TRANSFER';

/** The events that count: those of one name that fit the filters. */
export type EventSelectionInput = {
  /** At most 20 conditions. All must hold. Null, absent or empty: no conditions. */
  filters?: Array<PropertyFilterInput> | null | undefined;
  /**
   * The name, 1 to 256 characters, not blank, taken as it is. Upper and lower case are different. A name that has never
   * arrived has no events.
   */
  name: string;
  /** Whether the app or the SDK records it. */
  type: EventType;
};

/** A figure of `eventSeries`. */
export type EventSeriesFigureInput = {
  /** The value of a breakdown, with its type. Null: the events without the property. Absent: all values. */
  breakdownValue?: unknown;
  /** Whether it is the line of the other values. Null: false. */
  isOther?: boolean | null | undefined;
  /** `EventSeriesLine.index`. */
  series: number;
  /** `start` of a point in the response. Null or absent: the whole range. No device is behind any other instant. */
  start?: string | null | undefined;
};

/** The input of `eventSeries`. */
export type EventSeriesInput = {
  /** The application. */
  applicationId: string;
  /** The property by which each event is broken down. Null or absent: none. */
  breakdown?: BreakdownInput | null | undefined;
  /** One to five events. */
  events: Array<EventSelectionInput>;
  /** The first day. */
  from: string;
  /** Whether test devices count too. Null: false. */
  includeTest?: boolean | null | undefined;
  /** The length of the points. Null: `DAY`. With `HOUR` the range has at most 31 days. */
  interval?: SeriesInterval | null | undefined;
  /** What is measured. Null: `COUNT`. */
  measure?: SeriesMeasure | null | undefined;
  /**
   * The parameter of the events whose numbers are measured, 1 to 256 characters, not blank. Required with `SUM`,
   * `AVERAGE`, `MEDIAN` and `P90`, and null or absent otherwise. Values that are no numbers do not count.
   */
  property?: string | null | undefined;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: string | null | undefined;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: string;
  /** What is counted. Null: `DEVICE`. */
  unit?: AnalyticsUnit | null | undefined;
};

/** The source of an event. */
export type EventType =
  /** The app records the event, through the SDK's `track(...)`. In the SDK's requests it is `custom`. */
  | 'CUSTOM'
  /**
   * The SDK itself records the event. In its requests it is `system`. The reserved names: `SdkInitialized`,
   * `ConfigFetchStarted`, `ConfigFetchFinished`, `SessionStarted`, `SessionFinished`, `CampaignShown`, `EventTriggered`,
   * `CustomPropertyChanged`, `CampaignResolved`.
   */
  | 'SYSTEM';

/** A figure of `funnel`. */
export type FunnelFigureInput = {
  /** The value of a breakdown, with its type. Null: those without the property. Absent: all values. */
  breakdownValue?: unknown;
  /** Whether the devices are wanted that have the step before and not this one. Null: false. Refused for the first step. */
  dropped?: boolean | null | undefined;
  /** Whether it is the line of the other values. Null: false. */
  isOther?: boolean | null | undefined;
  /** `FunnelStep.index`. */
  step: number;
};

/**
 * The input of `funnel`.
 *
 * - A unit enters with its first event of the first step from `from` to `to`. A later one begins nothing anew. It may
 *   finish after `to`.
 * - A later step is at or after the step before it, and not later than `within` after the entering event. Events of one
 *   time follow one another by "Times of events and sessions".
 * - One event serves one step. A step that is there twice needs two events.
 * - With `ANY` a unit has a step when an event of its own, which serves no other step, fits it.
 */
export type FunnelInput = {
  /** The application. */
  applicationId: string;
  /** A property of the entering event, by which the units are broken down. Null or absent: none. */
  breakdown?: BreakdownInput | null | undefined;
  /** The first day. */
  from: string;
  /** Whether test devices count too. Null: false. */
  includeTest?: boolean | null | undefined;
  /** The order of the steps. Null: `ORDERED`. */
  order?: FunnelOrder | null | undefined;
  /** Two to eight steps. */
  steps: Array<EventSelectionInput>;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: string | null | undefined;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: string;
  /** What is counted. Null: `DEVICE`. */
  unit?: AnalyticsUnit | null | undefined;
  /** The time from the entering event to the last step. */
  within: FunnelWindowInput;
};

/** The order in which a unit takes the steps of a funnel. */
export type FunnelOrder =
  /** The first step first, and the others in any order at or after it. */
  | 'ANY'
  /** Each step at or after the one before it. */
  | 'ORDERED';

/** How much time a unit has from its entering event to its last step, the last instant included. */
export type FunnelWindowInput = {
  /** The unit. */
  unit: FunnelWindowUnit;
  /** How many of `unit`, 1 or more. At most 366 days. */
  value: number;
};

/** The unit of `FunnelWindowInput.value`. */
export type FunnelWindowUnit =
  /** 86,400 seconds. */
  | 'DAY'
  /** 3,600 seconds. */
  | 'HOUR'
  /** 60 seconds. */
  | 'MINUTE';

/** The input of `login`. */
export type LoginInput = {
  /** The e-mail address. White space around it, upper or lower case and the spelling of its domain do not matter. */
  email: string;
  /** The password, exactly as the user set it. */
  password: string;
};

/** The input of `projectEdit`. In an edit absent fields stay as they are. */
export type ProjectEditInput = {
  /** The project to edit. Null or absent: a new project. */
  id?: string | null | undefined;
  /** The picture, at most 2,048 characters. Null or an empty text clears it. */
  image?: string | null | undefined;
  /** The name, 1 to 256 characters, not blank. Required for a new project. Null is refused. */
  name?: string | null | undefined;
};

/** A condition on a property, see "Filters". */
export type PropertyFilterInput = {
  /** The comparison. */
  op: ConditionOperator;
  /** The name, 1 to 256 characters, not blank, taken as it is. With `DEVICE` one of the names in "Filters". */
  property: string;
  /** Where the property belongs. */
  scope: PropertyScope;
  /** The value to compare with, as `CampaignTriggerFilterInput.value` says. "Filters" says how a version is read. */
  value?: unknown;
};

/** Where a property belongs, see "Filters". */
export type PropertyScope =
  /** A property of the device. */
  | 'DEVICE'
  /** A parameter of the event. */
  | 'EVENT'
  /** A custom property of the user. */
  | 'USER';

/** The type of a value. */
export type PropertyType =
  /** True or false. */
  | 'BOOLEAN'
  /** A number. */
  | 'NUMBER'
  /** A text. */
  | 'STRING';

/** The input of `signup`. */
export type RegistrationUserInput = {
  /** The e-mail address, at most 254 characters. No account may have it already. An invitation does not matter. */
  email: string;
  /** The name of the user, 1 to 256 characters, not blank. */
  name: string;
  /** The name of the new organization, 1 to 256 characters, not blank. */
  organization: string;
  /** 8 to 256 characters, and not one of the most common passwords, see "Passwords". */
  password: string;
};

/** The length of the points of a report. */
export type ReportInterval =
  /** Calendar days. */
  | 'DAY'
  /** Calendar months. */
  | 'MONTH'
  /** Weeks from Monday. */
  | 'WEEK';

/** The input of `resetPassword`. */
export type ResetPasswordInput = {
  /** The account's e-mail address, at most 254 characters. */
  email: string;
};

/** A figure of `retention`. */
export type RetentionFigureInput = {
  /** `RetentionCohort.start`. No device is behind any other instant. */
  cohort: string;
  /** `RetentionPeriod.index`. Null or absent: the whole cohort. */
  index?: number | null | undefined;
};

/**
 * The input of `retention`.
 *
 * - A unit is in one cohort at most: that of its start.
 * - A return is at or after the start. The event of the start counts as a return when it fits.
 * - Periods are whole calendar intervals, also where the range cuts the cohort's own interval.
 */
export type RetentionInput = {
  /** The application. */
  applicationId: string;
  /** The first day. */
  from: string;
  /** Whether test devices count too. Null: false. */
  includeTest?: boolean | null | undefined;
  /** The length of cohorts and periods. Null: `DAY`. */
  interval?: ReportInterval | null | undefined;
  /** When a unit counts in a period. Null: `ON`. */
  mode?: RetentionMode | null | undefined;
  /** The number of periods of each cohort, its own interval included, 1 to 53. Null: 12. */
  periods?: number | null | undefined;
  /** What counts as a return. */
  returning: RetentionReturnInput;
  /** What puts a unit into a cohort. */
  start: RetentionStartInput;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: string | null | undefined;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: string;
  /** What is counted. Null: `DEVICE`. */
  unit?: AnalyticsUnit | null | undefined;
};

/** When a unit counts in a period. */
export type RetentionMode =
  /** When it returns in the period. */
  | 'ON'
  /** When it returns in the period or at any time later. */
  | 'ON_OR_AFTER';

/** What counts as a return. Exactly one field. */
export type RetentionReturnInput =
  {   /** True: any activity. False is refused. */
  any: boolean; event?: never; }
  |  { any?: never;   /** One of these events. */
  event: EventSelectionInput; };

/** What puts a unit into a cohort. Exactly one field. */
export type RetentionStartInput =
  {   /** Its first ever event of these. With filters the events that the service has removed for their age are not looked at. */
  event: EventSelectionInput; firstSeen?: never; }
  |  { event?: never;   /** True: its first activity ever. False is refused. */
  firstSeen: boolean; };

/** By what `revenue` breaks down. */
export type RevenueBreakdown =
  /** By the country of the storefront. */
  | 'COUNTRY'
  /** By nothing. */
  | 'NONE'
  /** By the platform of the device that first brought the line. */
  | 'PLATFORM'
  /** By the store's product id. */
  | 'PRODUCT';

/** The input of `revenue`. */
export type RevenueInput = {
  /** The application. */
  applicationId: string;
  /** By what it is broken down. Null: `NONE`. */
  breakdown?: RevenueBreakdown | null | undefined;
  /** An ISO 4217 code, three capital letters, for example `EUR`. */
  currency: string;
  /** The first day. */
  from: string;
  /** Whether purchases in the sandbox count too. Null: false. */
  includeTest?: boolean | null | undefined;
  /** The length of the points. Null: `DAY`. */
  interval?: ReportInterval | null | undefined;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: string | null | undefined;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: string;
};

/** The length of the points of `eventSeries`. */
export type SeriesInterval =
  /** Calendar days. */
  | 'DAY'
  /** 3,600 seconds, from the first instant of the day. */
  | 'HOUR'
  /** Calendar months. */
  | 'MONTH'
  /** Weeks from Monday. */
  | 'WEEK';

/** What `eventSeries` measures of the events of a point. */
export type SeriesMeasure =
  /** The mean of these numbers. Null without one. */
  | 'AVERAGE'
  /** The number of events. */
  | 'COUNT'
  /** The median of these numbers. Between two numbers it interpolates. Null without one. */
  | 'MEDIAN'
  /** The value below which 90 % of these numbers lie. Between two numbers it interpolates. Null without one. */
  | 'P90'
  /** The events of a unit that has one, on average. Null without an event. */
  | 'PER_UNIT'
  /**
   * The sum of the numbers that `property` has. 0 without a number. Numbers below 10⁹ with at most 18 digits after the point are
   * added as decimals, so that thirty times 0.1 is 3.
   */
  | 'SUM'
  /** The number of units with an event. */
  | 'UNIQUE';

/** The input of `serviceTokenCreate`. */
export type ServiceTokenCreateInput = {
  /**
   * The applications that the token reaches, 1 to 200. Null or absent: all applications of the organization, later ones
   * too.
   */
  applicationIds?: Array<string> | null | undefined;
  /** From when on the token does not work. It must be in the future. Null or absent: it never expires. */
  expiresAt?: string | null | undefined;
  /** The name, by the rules of names ("Limits"). It need not be unique. */
  name: string;
  /** `viewer`, `editor` or `admin`. */
  role: string;
};

/** The environments of the store. */
export type StoreEnvironment =
  /** Real purchases. */
  | 'PRODUCTION'
  /** Test purchases. */
  | 'SANDBOX';

/** The input of `updatePassword`. */
export type UpdatePasswordInput = {
  /** 8 to 256 characters, and not one of the most common passwords, see "Passwords". */
  newPassword: string;
  /** The same password once more. If it differs: `BAD_USER_INPUT` at `input.newPasswordRepeat`. */
  newPasswordRepeat: string;
  /** The token from the link of the reset mail or the invitation mail. */
  token: string;
};

/** The input of `userInvite`. */
export type UserInviteInput = {
  /** The address to which the invitation goes, at most 254 characters. */
  email: string;
  /**
   * The name, 1 to 256 characters, not blank. An account that has none takes it when the invitation is accepted. Null or
   * absent: no name. In a further invitation an absent name keeps the stored name.
   */
  name?: string | null | undefined;
  /** `owner`, `admin`, `editor` or `viewer`. */
  role: string;
};

/** See `UserPropertyCondition`. */
export type UserPropertyConditionInput = {
  /** The property's name, 1 to 256 characters, not blank, taken as it is. */
  name: string;
  /** The comparison. */
  op: ConditionOperator;
  /** The value to compare with, by the rules of `CampaignTriggerFilterInput.value`. */
  value?: unknown;
};

/** See `VersionRange`. At least one end is needed, and `min` must not be above `max`. */
export type VersionRangeInput = {
  /** The highest version, included. A whole number from 0 to 2^53-1. Null or absent: no upper end. */
  max?: number | null | undefined;
  /** The lowest version, included. A whole number from 0 to 2^53-1. Null or absent: no lower end. */
  min?: number | null | undefined;
};

/** What becomes of a delivery. */
export type WebhookDeliveryState =
  /** The receiver has responded with a status from 200 to 299. */
  | 'DELIVERED'
  /** The service has given it up. */
  | 'PARKED'
  /** It waits for its first or for another attempt, or for an earlier event of the same object. */
  | 'PENDING';

/** The input of `webhookEdit`. In an edit absent fields stay as they are. */
export type WebhookEditInput = {
  /** The application. Required for a new webhook. An edit may repeat it but not change it. Null is refused. */
  applicationId?: string | null | undefined;
  /** Whether it gets events. A new webhook does. Null is refused. */
  enabled?: boolean | null | undefined;
  /** The events that it is to get, at least one. Null: all events. For a new webhook absent is the same as null. */
  events?: Array<WebhookEvent> | null | undefined;
  /** The webhook to edit. Null or absent: a new webhook. */
  id?: string | null | undefined;
  /** Whether the webhook gets a new secret. Null or absent: no. A new webhook always gets one. */
  rotateSecret?: boolean | null | undefined;
  /**
   * The URL, at most 2,048 characters, by the rules of "Webhooks", without a user, a password and a fragment. Required for a
   * new webhook. Null is refused.
   */
  url?: string | null | undefined;
};

/** The events of webhooks. Enums may get new values. */
export type WebhookEvent =
  /**
   * `campaign.state_changed`: a campaign has moved, by a user or by the clock. `data` is
   * `{campaignId, from, to, version}`. A new campaign has not moved.
   */
  | 'CAMPAIGN_STATE_CHANGED'
  /**
   * `entitlement.activated`: the entitlement has become active. It is sent for a new line, for a purchase or a renewal that the
   * service learns of after it has told the end, for a revocation that the store took back, and for a product whose longer
   * `durationDays` prolongs it. `data` is the `Entitlement`, `active` true ("Events of entitlements").
   */
  | 'ENTITLEMENT_ACTIVATED'
  /**
   * `entitlement.expired`: an active entitlement has ended, because its period, its billing grace or the `durationDays` of its
   * product has. It is also sent when billing retry begins without grace. `data` is the `Entitlement`, `active` false ("Events of
   * entitlements").
   */
  | 'ENTITLEMENT_EXPIRED'
  /**
   * `entitlement.renewed`: another period holds of an active entitlement, an upgrade or downgrade to another product included, or
   * the store has moved its end to a later time. Several periods of which the service learns at once are one event. `data` is
   * the `Entitlement` with the period that holds ("Events of entitlements").
   */
  | 'ENTITLEMENT_RENEWED'
  /**
   * `entitlement.revoked`: the store has taken the entitlement back, for example by a refund, also after its end. `data` is the
   * `Entitlement` with `revokedAt`, `active` false ("Events of entitlements").
   */
  | 'ENTITLEMENT_REVOKED'
  /**
   * `entitlement.transferred`: the entitlement has another owner, or somebody who held it has lost it. The cause is an upload
   * under the policy `TRANSFER`, the store's account token, the first upload with an `external_id`, or a changed policy at the
   * next upload or look-up. An `external_id` that differs from the account token only by the case of a UUID is the same owner.
   * `data` is the `Entitlement` with the owner from now on ("Events of entitlements").
   */
  | 'ENTITLEMENT_TRANSFERRED';

export type SignupMutationVariables = Exact<{
  input: RegistrationUserInput;
}>;


export type SignupMutation = { signup: { token: string, refreshToken: string, user: { email: string | null, role: string | null, status: string | null }, organization: { id: string, name: string } } };

export type ConfirmEmailMutationVariables = Exact<{
  token: string;
}>;


export type ConfirmEmailMutation = { emailConfirm: boolean };

export type LoginMutationVariables = Exact<{
  input: LoginInput;
}>;


export type LoginMutation = { login: { token: string, refreshToken: string, user: { email: string | null, role: string | null } } };

export type RefreshTokenMutationVariables = Exact<{
  token: string;
}>;


export type RefreshTokenMutation = { refreshToken: { token: string, refreshToken: string } };

export type ResetPasswordMutationVariables = Exact<{
  input: ResetPasswordInput;
}>;


export type ResetPasswordMutation = { resetPassword: boolean };

export type UpdatePasswordMutationVariables = Exact<{
  input: UpdatePasswordInput;
}>;


export type UpdatePasswordMutation = { updatePassword: boolean };

export type InviteUserMutationVariables = Exact<{
  input: UserInviteInput;
}>;


export type InviteUserMutation = { userInvite: { email: string | null, role: string | null, status: string | null } };

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { me: { email: string | null, name: string | null, role: string | null, status: string | null } };

export type LogoutMutationVariables = Exact<{ [key: string]: never; }>;


export type LogoutMutation = { logout: boolean };

export type AuditLogQueryVariables = Exact<{ [key: string]: never; }>;


export type AuditLogQuery = { auditLog: Array<{ at: string, actor: string, action: string, objectType: string, objectId: string, details: unknown }> };

export type ActivityQueryVariables = Exact<{
  input: ActivityInput;
}>;


export type ActivityQuery = { activity: { stickiness: number | null, asOf: string, points: Array<{ start: string, complete: boolean, active: number, new: number, sessions: number, medianSessionSeconds: number | null, events: number }>, totals: { active: number, new: number, sessions: number, medianSessionSeconds: number | null, events: number }, previous: { totals: { active: number } } | null } | null };

export type EventSeriesQueryVariables = Exact<{
  input: EventSeriesInput;
}>;


export type EventSeriesQuery = { eventSeries: { presentProperties: boolean, asOf: string, series: Array<{ index: number, event: string, breakdownValue: unknown, isOther: boolean, total: number | null, points: Array<{ start: string, complete: boolean, value: number | null }> }> } | null };

export type FunnelQueryVariables = Exact<{
  input: FunnelInput;
}>;


export type FunnelQuery = { funnel: { asOf: string, steps: Array<{ index: number, count: number, conversion: number | null, fromPrevious: number | null, medianSeconds: number | null }>, breakdown: Array<{ value: unknown, isOther: boolean, steps: Array<{ index: number, count: number }> }> | null } | null };

export type RetentionQueryVariables = Exact<{
  input: RetentionInput;
}>;


export type RetentionQuery = { retention: { asOf: string, cohorts: Array<{ start: string, size: number, periods: Array<{ index: number, count: number, complete: boolean }> }> } | null };

export type EventNamesQueryVariables = Exact<{
  applicationId: string;
  search?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type EventNamesQuery = { eventNames: { endCursor: string | null, hasMore: boolean, asOf: string, nodes: Array<{ name: string, type: EventType, firstSeenAt: string, lastSeenAt: string, count30Days: number, params: Array<{ name: string, types: Array<PropertyType>, examples: Array<unknown> }> }> } | null };

export type PropertyNamesQueryVariables = Exact<{
  applicationId: string;
  scope: PropertyScope;
  search?: string | null | undefined;
}>;


export type PropertyNamesQuery = { propertyNames: { endCursor: string | null, hasMore: boolean, nodes: Array<{ name: string, types: Array<PropertyType>, examples: Array<unknown> }> } | null };

export type DevicesQueryVariables = Exact<{
  applicationId: string;
  search?: string | null | undefined;
  filters?: Array<PropertyFilterInput> | null | undefined;
  sort?: DeviceSort | null | undefined;
  after?: string | null | undefined;
}>;


export type DevicesQuery = { devices: { total: number, endCursor: string | null, hasMore: boolean, asOf: string, nodes: Array<{ id: string, userId: string | null, platform: string | null, country: string | null, appVersion: number | null, firstSeenAt: string, lastSeenAt: string, sessionsCount: number }> } | null };

export type UserDevicesQueryVariables = Exact<{
  applicationId: string;
  userId: string;
}>;


export type UserDevicesQuery = { userDevices: { total: number, nodes: Array<{ id: string, lastSeenAt: string }> } | null };

export type DevicesBehindQueryVariables = Exact<{
  of: DevicesBehindInput;
  point: DevicesBehindPointInput;
  after?: string | null | undefined;
}>;


export type DevicesBehindQuery = { devicesBehind: { total: number, endCursor: string | null, hasMore: boolean, nodes: Array<{ id: string, userId: string | null, lastSeenAt: string }> } | null };

export type RecentEventsQueryVariables = Exact<{
  applicationId: string;
  filters?: Array<PropertyFilterInput> | null | undefined;
  after?: string | null | undefined;
}>;


export type RecentEventsQuery = { recentEvents: { endCursor: string | null, hasMore: boolean, asOf: string, nodes: Array<{ deviceId: string, sessionId: string, userId: string | null, name: string, type: EventType, timestamp: string, receivedAt: string, params: unknown }> } | null };

export type RevenueQueryVariables = Exact<{
  input: RevenueInput;
}>;


export type RevenueQuery = { revenue: { asOf: string, points: Array<{ start: string, complete: boolean, gross: string, refunds: string, purchases: number, payers: number, renewals: number }>, totals: { gross: string, refunds: string, purchases: number, payers: number, renewals: number }, breakdown: Array<{ value: string | null, isOther: boolean, points: Array<{ start: string, gross: string }> }> | null } | null };

export type SubscriptionsQueryVariables = Exact<{
  applicationId: string;
  at?: string | null | undefined;
}>;


export type SubscriptionsQuery = { revenueCurrencies: Array<string> | null, subscriptions: { active: number, inGrace: number, inRetry: number, trials: number, asOf: string, mrr: Array<{ currency: string, amount: string }> } | null };

export type IngestIssuesQueryVariables = Exact<{
  applicationId: string;
  from: string;
  to: string;
}>;


export type IngestIssuesQuery = { ingestIssues: { endCursor: string | null, hasMore: boolean, nodes: Array<{ day: string, operation: string, status: number, reason: string, path: string, sdkVersion: number | null, appVersion: number | null, count: number, firstAt: string, lastAt: string, samplePath: string, sampleMessage: string }> } | null };

export type CampaignRowFragment = { id: string, name: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState> };

export type EditCampaignMutationVariables = Exact<{
  input: CampaignEditInput;
}>;


export type EditCampaignMutation = { campaignEdit: { priority: number, id: string, name: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState> } };

export type ChangeCampaignStateMutationVariables = Exact<{
  id: string;
  state: CampaignState;
  expectedVersion?: number | null | undefined;
}>;


export type ChangeCampaignStateMutation = { campaignChangeState: { id: string, name: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState> } };

export type CampaignWithStatsQueryVariables = Exact<{
  id: string;
}>;


export type CampaignWithStatsQuery = { campaign: { id: string, name: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState>, stats: { shown: number, resolved: { completed: number, dismissed: number, unavailable: number, skippedNoPresenter: number, skippedNoContinuation: number }, unavailableReasons: { timedOut: number, presenterFailed: number, presenterReported: number } } } | null };

export type CampaignsQueryVariables = Exact<{
  applicationId?: string | null | undefined;
  state?: CampaignState | null | undefined;
}>;


export type CampaignsQuery = { campaigns: Array<{ id: string, name: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState> }> };

export type CampaignHistoryQueryVariables = Exact<{
  id: string;
  before?: string | null | undefined;
}>;


export type CampaignHistoryQuery = { campaign: { id: string, name: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState>, history: Array<{ version: number, at: string, by: string, action: string, fromState: CampaignState | null, toState: CampaignState | null, changes: Array<{ field: string, before: unknown, after: unknown, valuesKept: boolean }> }> } | null };

export type ServiceTokensQueryVariables = Exact<{ [key: string]: never; }>;


export type ServiceTokensQuery = { serviceTokens: Array<{ id: string, name: string, role: string, applicationIds: Array<string> | null, createdAt: string, createdBy: string, expiresAt: string | null, lastUsedAt: string | null }> };

export type CreateServiceTokenMutationVariables = Exact<{
  input: ServiceTokenCreateInput;
}>;


export type CreateServiceTokenMutation = { serviceTokenCreate: { token: string, serviceToken: { id: string, name: string } } };

export type RevokeServiceTokenMutationVariables = Exact<{
  id: string;
}>;


export type RevokeServiceTokenMutation = { serviceTokenRevoke: boolean };

export type WebhooksQueryVariables = Exact<{
  applicationId: string;
}>;


export type WebhooksQuery = { webhooks: Array<{ id: string, url: string, events: Array<WebhookEvent> | null, enabled: boolean, gone: boolean, updatedAt: string, updatedBy: string }> };

export type WebhookDeliveriesQueryVariables = Exact<{
  webhookId: string;
  state?: WebhookDeliveryState | null | undefined;
  after?: string | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { endCursor: string | null, hasMore: boolean, nodes: Array<{ id: string, event: WebhookEvent, state: WebhookDeliveryState, attempts: number, createdAt: string, deliveredAt: string | null, lastStatus: number | null, lastError: string | null, body: unknown }> } };

export type EditWebhookMutationVariables = Exact<{
  input: WebhookEditInput;
}>;


export type EditWebhookMutation = { webhookEdit: { secret: string | null, webhook: { id: string, enabled: boolean } } };

export type DeleteWebhookMutationVariables = Exact<{
  id: string;
}>;


export type DeleteWebhookMutation = { webhookDelete: boolean };

export type RedeliverWebhookMutationVariables = Exact<{
  deliveryId: string;
}>;


export type RedeliverWebhookMutation = { webhookRedeliver: { id: string, state: WebhookDeliveryState } };

export type CustomerEntitlementsQueryVariables = Exact<{
  applicationId: string;
  externalId: string;
  after?: string | null | undefined;
}>;


export type CustomerEntitlementsQuery = { entitlements: { endCursor: string | null, hasMore: boolean, nodes: Array<{ id: string, productId: string, environment: StoreEnvironment, expiresAt: string | null, quantity: number | null, owner: { externalId: string } | null }> } };

export type SoldTransactionsQueryVariables = Exact<{
  applicationId: string;
  from?: string | null | undefined;
  to?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type SoldTransactionsQuery = { storeTransactions: { endCursor: string | null, hasMore: boolean, nodes: Array<{ id: string, originalId: string | null, productId: string | null, purchasedAt: string | null, price: string | null, currency: string | null, revokedAt: string | null, environment: StoreEnvironment | null }> } };

export type EditProjectMutationVariables = Exact<{
  input: ProjectEditInput;
}>;


export type EditProjectMutation = { projectEdit: { id: string, name: string } };

export type EditApplicationMutationVariables = Exact<{
  input: ApplicationEditInput;
}>;


export type EditApplicationMutation = { applicationEdit: { id: string, name: string, platform: string, apiKeys: Array<{ public: string }> | null } };

export type CreateApiKeyMutationVariables = Exact<{
  applicationId: string;
}>;


export type CreateApiKeyMutation = { apiKeyCreate: { public: string, secret: string } };

export type RevokeApiKeyMutationVariables = Exact<{
  public: string;
}>;


export type RevokeApiKeyMutation = { apiKeyRevoke: boolean };

export type DeleteApplicationMutationVariables = Exact<{
  id: string;
}>;


export type DeleteApplicationMutation = { applicationDelete: boolean };

export type WorkspaceQueryVariables = Exact<{ [key: string]: never; }>;


export type WorkspaceQuery = { organization: { name: string, projectsCount: number | null, users: Array<{ email: string | null, status: string | null }> | null, projects: Array<{ name: string, applications: Array<{ name: string, apiKeys: Array<{ public: string, lastUsed: string | null }> | null }> | null }> | null } };

export type DeviceSessionsQueryVariables = Exact<{
  applicationId: string;
  id: string;
}>;


export type DeviceSessionsQuery = { device: { id: string, sessionsCount: number, sessions: Array<{ id: string, events: Array<{ name: string, type: EventType, timestamp: string, params: unknown }> }> } | null };

export const CampaignRowFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]} as unknown as DocumentNode<CampaignRowFragment, unknown>;
export const SignupDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Signup"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RegistrationUserInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"signup"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"refreshToken"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organization"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<SignupMutation, SignupMutationVariables>;
export const ConfirmEmailDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ConfirmEmail"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"token"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"emailConfirm"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"token"},"value":{"kind":"Variable","name":{"kind":"Name","value":"token"}}}]}]}}]} as unknown as DocumentNode<ConfirmEmailMutation, ConfirmEmailMutationVariables>;
export const LoginDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Login"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"LoginInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"login"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"refreshToken"}},{"kind":"Field","name":{"kind":"Name","value":"user"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"role"}}]}}]}}]}}]} as unknown as DocumentNode<LoginMutation, LoginMutationVariables>;
export const RefreshTokenDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RefreshToken"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"token"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"refreshToken"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"token"},"value":{"kind":"Variable","name":{"kind":"Name","value":"token"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"refreshToken"}}]}}]}}]} as unknown as DocumentNode<RefreshTokenMutation, RefreshTokenMutationVariables>;
export const ResetPasswordDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ResetPassword"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ResetPasswordInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resetPassword"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}]}]}}]} as unknown as DocumentNode<ResetPasswordMutation, ResetPasswordMutationVariables>;
export const UpdatePasswordDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"UpdatePassword"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UpdatePasswordInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"updatePassword"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}]}]}}]} as unknown as DocumentNode<UpdatePasswordMutation, UpdatePasswordMutationVariables>;
export const InviteUserDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"InviteUser"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UserInviteInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"userInvite"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]} as unknown as DocumentNode<InviteUserMutation, InviteUserMutationVariables>;
export const MeDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Me"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"me"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]} as unknown as DocumentNode<MeQuery, MeQueryVariables>;
export const LogoutDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"Logout"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"logout"}}]}}]} as unknown as DocumentNode<LogoutMutation, LogoutMutationVariables>;
export const AuditLogDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"AuditLog"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"auditLog"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"actor"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"objectType"}},{"kind":"Field","name":{"kind":"Name","value":"objectId"}},{"kind":"Field","name":{"kind":"Name","value":"details"}}]}}]}}]} as unknown as DocumentNode<AuditLogQuery, AuditLogQueryVariables>;
export const ActivityDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Activity"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ActivityInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"activity"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"complete"}},{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"new"}},{"kind":"Field","name":{"kind":"Name","value":"sessions"}},{"kind":"Field","name":{"kind":"Name","value":"medianSessionSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"events"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totals"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"new"}},{"kind":"Field","name":{"kind":"Name","value":"sessions"}},{"kind":"Field","name":{"kind":"Name","value":"medianSessionSeconds"}},{"kind":"Field","name":{"kind":"Name","value":"events"}}]}},{"kind":"Field","name":{"kind":"Name","value":"previous"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"totals"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"active"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"stickiness"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<ActivityQuery, ActivityQueryVariables>;
export const EventSeriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EventSeries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"EventSeriesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"eventSeries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"series"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"breakdownValue"}},{"kind":"Field","name":{"kind":"Name","value":"isOther"}},{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"complete"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}},{"kind":"Field","name":{"kind":"Name","value":"total"}}]}},{"kind":"Field","name":{"kind":"Name","value":"presentProperties"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<EventSeriesQuery, EventSeriesQueryVariables>;
export const FunnelDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Funnel"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"FunnelInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"funnel"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"steps"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"conversion"}},{"kind":"Field","name":{"kind":"Name","value":"fromPrevious"}},{"kind":"Field","name":{"kind":"Name","value":"medianSeconds"}}]}},{"kind":"Field","name":{"kind":"Name","value":"breakdown"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"isOther"}},{"kind":"Field","name":{"kind":"Name","value":"steps"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"count"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<FunnelQuery, FunnelQueryVariables>;
export const RetentionDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Retention"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RetentionInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"retention"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"cohorts"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"size"}},{"kind":"Field","name":{"kind":"Name","value":"periods"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"complete"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<RetentionQuery, RetentionQueryVariables>;
export const EventNamesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EventNames"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"eventNames"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"firstSeenAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastSeenAt"}},{"kind":"Field","name":{"kind":"Name","value":"count30Days"}},{"kind":"Field","name":{"kind":"Name","value":"params"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"types"}},{"kind":"Field","name":{"kind":"Name","value":"examples"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<EventNamesQuery, EventNamesQueryVariables>;
export const PropertyNamesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PropertyNames"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"scope"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PropertyScope"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"propertyNames"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"scope"},"value":{"kind":"Variable","name":{"kind":"Name","value":"scope"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"types"}},{"kind":"Field","name":{"kind":"Name","value":"examples"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<PropertyNamesQuery, PropertyNamesQueryVariables>;
export const DevicesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Devices"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filters"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PropertyFilterInput"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sort"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DeviceSort"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"devices"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"filters"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filters"}}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sort"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"userId"}},{"kind":"Field","name":{"kind":"Name","value":"platform"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"appVersion"}},{"kind":"Field","name":{"kind":"Name","value":"firstSeenAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastSeenAt"}},{"kind":"Field","name":{"kind":"Name","value":"sessionsCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<DevicesQuery, DevicesQueryVariables>;
export const UserDevicesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"UserDevices"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"userId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"userDevices"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"userId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"userId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"lastSeenAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"total"}}]}}]}}]} as unknown as DocumentNode<UserDevicesQuery, UserDevicesQueryVariables>;
export const DevicesBehindDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DevicesBehind"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"of"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DevicesBehindInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"point"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DevicesBehindPointInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"devicesBehind"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"of"},"value":{"kind":"Variable","name":{"kind":"Name","value":"of"}}},{"kind":"Argument","name":{"kind":"Name","value":"point"},"value":{"kind":"Variable","name":{"kind":"Name","value":"point"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"userId"}},{"kind":"Field","name":{"kind":"Name","value":"lastSeenAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<DevicesBehindQuery, DevicesBehindQueryVariables>;
export const RecentEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"RecentEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filters"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PropertyFilterInput"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"recentEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"filters"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filters"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deviceId"}},{"kind":"Field","name":{"kind":"Name","value":"sessionId"}},{"kind":"Field","name":{"kind":"Name","value":"userId"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"receivedAt"}},{"kind":"Field","name":{"kind":"Name","value":"params"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<RecentEventsQuery, RecentEventsQueryVariables>;
export const RevenueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Revenue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RevenueInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"revenue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"complete"}},{"kind":"Field","name":{"kind":"Name","value":"gross"}},{"kind":"Field","name":{"kind":"Name","value":"refunds"}},{"kind":"Field","name":{"kind":"Name","value":"purchases"}},{"kind":"Field","name":{"kind":"Name","value":"payers"}},{"kind":"Field","name":{"kind":"Name","value":"renewals"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totals"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"gross"}},{"kind":"Field","name":{"kind":"Name","value":"refunds"}},{"kind":"Field","name":{"kind":"Name","value":"purchases"}},{"kind":"Field","name":{"kind":"Name","value":"payers"}},{"kind":"Field","name":{"kind":"Name","value":"renewals"}}]}},{"kind":"Field","name":{"kind":"Name","value":"breakdown"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"isOther"}},{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"gross"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<RevenueQuery, RevenueQueryVariables>;
export const SubscriptionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Subscriptions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"at"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"subscriptions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"at"},"value":{"kind":"Variable","name":{"kind":"Name","value":"at"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"active"}},{"kind":"Field","name":{"kind":"Name","value":"inGrace"}},{"kind":"Field","name":{"kind":"Name","value":"inRetry"}},{"kind":"Field","name":{"kind":"Name","value":"trials"}},{"kind":"Field","name":{"kind":"Name","value":"mrr"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"amount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}},{"kind":"Field","name":{"kind":"Name","value":"revenueCurrencies"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}}]}]}}]} as unknown as DocumentNode<SubscriptionsQuery, SubscriptionsQueryVariables>;
export const IngestIssuesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"IngestIssues"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Date"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"ingestIssues"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"day"}},{"kind":"Field","name":{"kind":"Name","value":"operation"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"path"}},{"kind":"Field","name":{"kind":"Name","value":"sdkVersion"}},{"kind":"Field","name":{"kind":"Name","value":"appVersion"}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"firstAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastAt"}},{"kind":"Field","name":{"kind":"Name","value":"samplePath"}},{"kind":"Field","name":{"kind":"Name","value":"sampleMessage"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<IngestIssuesQuery, IngestIssuesQueryVariables>;
export const EditCampaignDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"EditCampaign"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaignEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CampaignRow"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]} as unknown as DocumentNode<EditCampaignMutation, EditCampaignMutationVariables>;
export const ChangeCampaignStateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ChangeCampaignState"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"state"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignState"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"expectedVersion"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaignChangeState"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"Variable","name":{"kind":"Name","value":"state"}}},{"kind":"Argument","name":{"kind":"Name","value":"expectedVersion"},"value":{"kind":"Variable","name":{"kind":"Name","value":"expectedVersion"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CampaignRow"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]} as unknown as DocumentNode<ChangeCampaignStateMutation, ChangeCampaignStateMutationVariables>;
export const CampaignWithStatsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignWithStats"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaign"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CampaignRow"}},{"kind":"Field","name":{"kind":"Name","value":"stats"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"shown"}},{"kind":"Field","name":{"kind":"Name","value":"resolved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"dismissed"}},{"kind":"Field","name":{"kind":"Name","value":"unavailable"}},{"kind":"Field","name":{"kind":"Name","value":"skippedNoPresenter"}},{"kind":"Field","name":{"kind":"Name","value":"skippedNoContinuation"}}]}},{"kind":"Field","name":{"kind":"Name","value":"unavailableReasons"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"timedOut"}},{"kind":"Field","name":{"kind":"Name","value":"presenterFailed"}},{"kind":"Field","name":{"kind":"Name","value":"presenterReported"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]} as unknown as DocumentNode<CampaignWithStatsQuery, CampaignWithStatsQueryVariables>;
export const CampaignsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Campaigns"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"state"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignState"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaigns"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"Variable","name":{"kind":"Name","value":"state"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CampaignRow"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]} as unknown as DocumentNode<CampaignsQuery, CampaignsQueryVariables>;
export const CampaignHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaign"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CampaignRow"}},{"kind":"Field","name":{"kind":"Name","value":"history"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"20"}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"by"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"fromState"}},{"kind":"Field","name":{"kind":"Name","value":"toState"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"valuesKept"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRow"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]} as unknown as DocumentNode<CampaignHistoryQuery, CampaignHistoryQueryVariables>;
export const ServiceTokensDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ServiceTokens"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"serviceTokens"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"applicationIds"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastUsedAt"}}]}}]}}]} as unknown as DocumentNode<ServiceTokensQuery, ServiceTokensQueryVariables>;
export const CreateServiceTokenDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateServiceToken"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ServiceTokenCreateInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"serviceTokenCreate"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"token"}},{"kind":"Field","name":{"kind":"Name","value":"serviceToken"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<CreateServiceTokenMutation, CreateServiceTokenMutationVariables>;
export const RevokeServiceTokenDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RevokeServiceToken"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"serviceTokenRevoke"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}]}]}}]} as unknown as DocumentNode<RevokeServiceTokenMutation, RevokeServiceTokenMutationVariables>;
export const WebhooksDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Webhooks"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhooks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"events"}},{"kind":"Field","name":{"kind":"Name","value":"enabled"}},{"kind":"Field","name":{"kind":"Name","value":"gone"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedBy"}}]}}]}}]} as unknown as DocumentNode<WebhooksQuery, WebhooksQueryVariables>;
export const WebhookDeliveriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhookDeliveries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"webhookId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"state"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDeliveryState"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookDeliveries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"webhookId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"webhookId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"Variable","name":{"kind":"Name","value":"state"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"deliveredAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastStatus"}},{"kind":"Field","name":{"kind":"Name","value":"lastError"}},{"kind":"Field","name":{"kind":"Name","value":"body"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const EditWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"EditWebhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"enabled"}}]}},{"kind":"Field","name":{"kind":"Name","value":"secret"}}]}}]}}]} as unknown as DocumentNode<EditWebhookMutation, EditWebhookMutationVariables>;
export const DeleteWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteWebhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookDelete"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}]}]}}]} as unknown as DocumentNode<DeleteWebhookMutation, DeleteWebhookMutationVariables>;
export const RedeliverWebhookDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RedeliverWebhook"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"deliveryId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookRedeliver"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"deliveryId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"deliveryId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}}]}}]} as unknown as DocumentNode<RedeliverWebhookMutation, RedeliverWebhookMutationVariables>;
export const CustomerEntitlementsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CustomerEntitlements"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"externalId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"entitlements"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"externalId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"externalId"}}},{"kind":"Argument","name":{"kind":"Name","value":"active"},"value":{"kind":"BooleanValue","value":true}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"productId"}},{"kind":"Field","name":{"kind":"Name","value":"environment"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"owner"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"externalId"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<CustomerEntitlementsQuery, CustomerEntitlementsQueryVariables>;
export const SoldTransactionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"SoldTransactions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"storeTransactions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"RESOLVED"}},{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"originalId"}},{"kind":"Field","name":{"kind":"Name","value":"productId"}},{"kind":"Field","name":{"kind":"Name","value":"purchasedAt"}},{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"revokedAt"}},{"kind":"Field","name":{"kind":"Name","value":"environment"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<SoldTransactionsQuery, SoldTransactionsQueryVariables>;
export const EditProjectDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"EditProject"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProjectEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projectEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<EditProjectMutation, EditProjectMutationVariables>;
export const EditApplicationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"EditApplication"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ApplicationEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"platform"}},{"kind":"Field","name":{"kind":"Name","value":"apiKeys"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"public"}}]}}]}}]}}]} as unknown as DocumentNode<EditApplicationMutation, EditApplicationMutationVariables>;
export const CreateApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CreateApiKey"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"apiKeyCreate"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"public"}},{"kind":"Field","name":{"kind":"Name","value":"secret"}}]}}]}}]} as unknown as DocumentNode<CreateApiKeyMutation, CreateApiKeyMutationVariables>;
export const RevokeApiKeyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RevokeApiKey"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"public"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"apiKeyRevoke"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"public"},"value":{"kind":"Variable","name":{"kind":"Name","value":"public"}}}]}]}}]} as unknown as DocumentNode<RevokeApiKeyMutation, RevokeApiKeyMutationVariables>;
export const DeleteApplicationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeleteApplication"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationDelete"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}]}]}}]} as unknown as DocumentNode<DeleteApplicationMutation, DeleteApplicationMutationVariables>;
export const WorkspaceDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Workspace"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"organization"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"projectsCount"}},{"kind":"Field","name":{"kind":"Name","value":"users"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}},{"kind":"Field","name":{"kind":"Name","value":"projects"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"applications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"apiKeys"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"public"}},{"kind":"Field","name":{"kind":"Name","value":"lastUsed"}}]}}]}}]}}]}}]}}]} as unknown as DocumentNode<WorkspaceQuery, WorkspaceQueryVariables>;
export const DeviceSessionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DeviceSessions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"device"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"sessionsCount"}},{"kind":"Field","name":{"kind":"Name","value":"sessions"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"events"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"timestamp"}},{"kind":"Field","name":{"kind":"Name","value":"params"}}]}}]}}]}}]}}]} as unknown as DocumentNode<DeviceSessionsQuery, DeviceSessionsQueryVariables>;