/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** What is counted, see "Units and counts". */
export type AnalyticsUnit =
  /** Devices. */
  | 'DEVICE'
  /** Users, and devices without a user. */
  | 'USER';

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

/** The orders of a list of campaigns. Each is total. */
export type CampaignSort =
  /** By `createdAt`, the newest first. Of equal times the highest `id` comes first. */
  | 'CREATED'
  /** By `name` in lower case, compared by code points, from A to Z. Of equal names the lowest `id` comes first. */
  | 'NAME'
  /** By `priority`, the highest first. Of equal priorities the lowest `id` comes first, as on a device. */
  | 'PRIORITY'
  /** By the state now, in the order of `CampaignState`. Of equal states the lowest `id` comes first. */
  | 'STATE'
  /** By `updatedAt`, the last change first. Of equal times the highest `id` comes first. */
  | 'UPDATED';

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

export type CampaignListQueryVariables = Exact<{
  applicationId: string;
  states?: Array<CampaignState> | null | undefined;
  search?: string | null | undefined;
  sort: CampaignSort;
  limit: number;
  offset: number;
}>;


export type CampaignListQuery = { campaignsCount: number, campaigns: Array<{ id: string, name: string, state: CampaignState, version: number, priority: number, createdAt: string, createdBy: string | null, updatedAt: string, updatedBy: string | null, allowedTransitions: Array<CampaignState>, trigger: { event: string } | null, schedule: { startAt: string | null, endAt: string | null } | null, stats: { shown: number, resolved: { completed: number, dismissed: number, unavailable: number } } }> };

export type CampaignCountsQueryVariables = Exact<{
  applicationId: string;
  search?: string | null | undefined;
}>;


export type CampaignCountsQuery = { DRAFT: number, SCHEDULED: number, ACTIVE: number, PAUSED: number, FINISHED: number, ARCHIVED: number };

export type CampaignQueryVariables = Exact<{
  id: string;
}>;


export type CampaignQuery = { campaign: { id: string, createdAt: string, updatedAt: string, createdBy: string | null, updatedBy: string | null, allowedTransitions: Array<CampaignState>, name: string, description: string | null, state: CampaignState, version: number, priority: number, application: { id: string }, history: Array<{ toState: CampaignState | null }>, stats: { shown: number, suspect: number, resolved: { completed: number, dismissed: number, unavailable: number, skippedNoPresenter: number, skippedNoContinuation: number }, unavailableReasons: { timedOut: number, presenterFailed: number, presenterReported: number } }, trigger: { event: string, type: EventType, filters: Array<{ param: string, op: ConditionOperator, value: unknown }> } | null, targeting: { platforms: Array<string>, countries: Array<string>, appVersion: { min: number | null, max: number | null } | null, osVersion: { min: number | null, max: number | null } | null, sdkVersion: { min: number | null, max: number | null } | null, appInstallVersion: { min: number | null, max: number | null } | null, userProperties: Array<Array<{ name: string, op: ConditionOperator, value: unknown }>> } | null, frequency: { perSession: number | null, perDay: number | null, total: number | null, cooldownSeconds: number | null } | null, schedule: { startAt: string | null, endAt: string | null } | null, action: { type: string, payload: unknown, blocking: boolean, deadlineSeconds: number | null } | null } | null };

export type CampaignHistoryQueryVariables = Exact<{
  id: string;
  before?: string | null | undefined;
  limit: number;
}>;


export type CampaignHistoryQuery = { campaign: { id: string, history: Array<{ version: number, at: string, by: string, action: string, fromState: CampaignState | null, toState: CampaignState | null, changes: Array<{ field: string, before: unknown, after: unknown, valuesKept: boolean }> }> } | null };

export type CampaignEventsQueryVariables = Exact<{
  input: EventSeriesInput;
}>;


export type CampaignEventsQuery = { eventSeries: { presentProperties: boolean, asOf: string, series: Array<{ index: number, event: string, total: number | null, points: Array<{ start: string, complete: boolean, value: number | null }> }> } | null };

export type CampaignRivalsQueryVariables = Exact<{
  applicationId: string;
}>;


export type CampaignRivalsQuery = { campaigns: Array<{ id: string, name: string, state: CampaignState, priority: number, trigger: { event: string, type: EventType } | null }> };

export type CampaignToEditQueryVariables = Exact<{
  id: string;
}>;


export type CampaignToEditQuery = { campaign: { id: string, updatedAt: string, updatedBy: string | null, name: string, description: string | null, state: CampaignState, version: number, priority: number, application: { id: string }, trigger: { event: string, type: EventType, filters: Array<{ param: string, op: ConditionOperator, value: unknown }> } | null, targeting: { platforms: Array<string>, countries: Array<string>, appVersion: { min: number | null, max: number | null } | null, osVersion: { min: number | null, max: number | null } | null, sdkVersion: { min: number | null, max: number | null } | null, appInstallVersion: { min: number | null, max: number | null } | null, userProperties: Array<Array<{ name: string, op: ConditionOperator, value: unknown }>> } | null, frequency: { perSession: number | null, perDay: number | null, total: number | null, cooldownSeconds: number | null } | null, schedule: { startAt: string | null, endAt: string | null } | null, action: { type: string, payload: unknown, blocking: boolean, deadlineSeconds: number | null } | null } | null };

export type EditorCountriesQueryVariables = Exact<{ [key: string]: never; }>;


export type EditorCountriesQuery = { countries: Array<{ code: string, name: string } | null> | null };

export type AudienceQueryVariables = Exact<{
  applicationId: string;
  filters?: Array<PropertyFilterInput> | null | undefined;
}>;


export type AudienceQuery = { devices: { total: number, asOf: string } | null };

export type SaveCampaignMutationVariables = Exact<{
  input: CampaignEditInput;
}>;


export type SaveCampaignMutation = { campaignEdit: { id: string, version: number } };

export type CampaignRuleFragment = { name: string, description: string | null, state: CampaignState, version: number, priority: number, trigger: { event: string, type: EventType, filters: Array<{ param: string, op: ConditionOperator, value: unknown }> } | null, targeting: { platforms: Array<string>, countries: Array<string>, appVersion: { min: number | null, max: number | null } | null, osVersion: { min: number | null, max: number | null } | null, sdkVersion: { min: number | null, max: number | null } | null, appInstallVersion: { min: number | null, max: number | null } | null, userProperties: Array<Array<{ name: string, op: ConditionOperator, value: unknown }>> } | null, frequency: { perSession: number | null, perDay: number | null, total: number | null, cooldownSeconds: number | null } | null, schedule: { startAt: string | null, endAt: string | null } | null, action: { type: string, payload: unknown, blocking: boolean, deadlineSeconds: number | null } | null };

export const CampaignRuleFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRule"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}},{"kind":"Field","name":{"kind":"Name","value":"trigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"filters"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"param"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"targeting"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"platforms"}},{"kind":"Field","name":{"kind":"Name","value":"appVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"osVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sdkVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"appInstallVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"countries"}},{"kind":"Field","name":{"kind":"Name","value":"userProperties"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"frequency"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"perSession"}},{"kind":"Field","name":{"kind":"Name","value":"perDay"}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"cooldownSeconds"}}]}},{"kind":"Field","name":{"kind":"Name","value":"schedule"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startAt"}},{"kind":"Field","name":{"kind":"Name","value":"endAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"action"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"blocking"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineSeconds"}}]}}]}}]} as unknown as DocumentNode<CampaignRuleFragment, unknown>;
export const CampaignListDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignList"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"states"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignState"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sort"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignSort"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"offset"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaigns"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"states"},"value":{"kind":"Variable","name":{"kind":"Name","value":"states"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sort"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}},{"kind":"Argument","name":{"kind":"Name","value":"offset"},"value":{"kind":"Variable","name":{"kind":"Name","value":"offset"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}},{"kind":"Field","name":{"kind":"Name","value":"trigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"}}]}},{"kind":"Field","name":{"kind":"Name","value":"schedule"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startAt"}},{"kind":"Field","name":{"kind":"Name","value":"endAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedBy"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}},{"kind":"Field","name":{"kind":"Name","value":"stats"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"shown"}},{"kind":"Field","name":{"kind":"Name","value":"resolved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"dismissed"}},{"kind":"Field","name":{"kind":"Name","value":"unavailable"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"states"},"value":{"kind":"Variable","name":{"kind":"Name","value":"states"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]}]}}]} as unknown as DocumentNode<CampaignListQuery, CampaignListQueryVariables>;
export const CampaignCountsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignCounts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"DRAFT"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"DRAFT"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"SCHEDULED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"SCHEDULED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"ACTIVE"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"ACTIVE"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"PAUSED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"PAUSED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"FINISHED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"FINISHED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"ARCHIVED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"ARCHIVED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]}]}}]} as unknown as DocumentNode<CampaignCountsQuery, CampaignCountsQueryVariables>;
export const CampaignDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Campaign"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaign"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"application"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"CampaignRule"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"updatedBy"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}},{"kind":"Field","name":{"kind":"Name","value":"history"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"toState"}}]}},{"kind":"Field","name":{"kind":"Name","value":"stats"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"shown"}},{"kind":"Field","name":{"kind":"Name","value":"suspect"}},{"kind":"Field","name":{"kind":"Name","value":"resolved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"dismissed"}},{"kind":"Field","name":{"kind":"Name","value":"unavailable"}},{"kind":"Field","name":{"kind":"Name","value":"skippedNoPresenter"}},{"kind":"Field","name":{"kind":"Name","value":"skippedNoContinuation"}}]}},{"kind":"Field","name":{"kind":"Name","value":"unavailableReasons"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"timedOut"}},{"kind":"Field","name":{"kind":"Name","value":"presenterFailed"}},{"kind":"Field","name":{"kind":"Name","value":"presenterReported"}}]}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRule"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}},{"kind":"Field","name":{"kind":"Name","value":"trigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"filters"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"param"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"targeting"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"platforms"}},{"kind":"Field","name":{"kind":"Name","value":"appVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"osVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sdkVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"appInstallVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"countries"}},{"kind":"Field","name":{"kind":"Name","value":"userProperties"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"frequency"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"perSession"}},{"kind":"Field","name":{"kind":"Name","value":"perDay"}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"cooldownSeconds"}}]}},{"kind":"Field","name":{"kind":"Name","value":"schedule"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startAt"}},{"kind":"Field","name":{"kind":"Name","value":"endAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"action"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"blocking"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineSeconds"}}]}}]}}]} as unknown as DocumentNode<CampaignQuery, CampaignQueryVariables>;
export const CampaignHistoryDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignHistory"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaign"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"history"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}},{"kind":"Argument","name":{"kind":"Name","value":"before"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"at"}},{"kind":"Field","name":{"kind":"Name","value":"by"}},{"kind":"Field","name":{"kind":"Name","value":"action"}},{"kind":"Field","name":{"kind":"Name","value":"fromState"}},{"kind":"Field","name":{"kind":"Name","value":"toState"}},{"kind":"Field","name":{"kind":"Name","value":"changes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"field"}},{"kind":"Field","name":{"kind":"Name","value":"before"}},{"kind":"Field","name":{"kind":"Name","value":"after"}},{"kind":"Field","name":{"kind":"Name","value":"valuesKept"}}]}}]}}]}}]}}]} as unknown as DocumentNode<CampaignHistoryQuery, CampaignHistoryQueryVariables>;
export const CampaignEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"EventSeriesInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"eventSeries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"series"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"complete"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"presentProperties"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<CampaignEventsQuery, CampaignEventsQueryVariables>;
export const CampaignRivalsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignRivals"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaigns"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"states"},"value":{"kind":"ListValue","values":[{"kind":"EnumValue","value":"SCHEDULED"},{"kind":"EnumValue","value":"ACTIVE"}]}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"EnumValue","value":"PRIORITY"}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"200"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}},{"kind":"Field","name":{"kind":"Name","value":"trigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]}}]}}]} as unknown as DocumentNode<CampaignRivalsQuery, CampaignRivalsQueryVariables>;
export const CampaignToEditDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignToEdit"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaign"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"application"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"CampaignRule"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedBy"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CampaignRule"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Campaign"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}},{"kind":"Field","name":{"kind":"Name","value":"trigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"filters"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"param"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"targeting"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"platforms"}},{"kind":"Field","name":{"kind":"Name","value":"appVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"osVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sdkVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"appInstallVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"countries"}},{"kind":"Field","name":{"kind":"Name","value":"userProperties"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"frequency"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"perSession"}},{"kind":"Field","name":{"kind":"Name","value":"perDay"}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"cooldownSeconds"}}]}},{"kind":"Field","name":{"kind":"Name","value":"schedule"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startAt"}},{"kind":"Field","name":{"kind":"Name","value":"endAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"action"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"blocking"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineSeconds"}}]}}]}}]} as unknown as DocumentNode<CampaignToEditQuery, CampaignToEditQueryVariables>;
export const EditorCountriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EditorCountries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"countries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<EditorCountriesQuery, EditorCountriesQueryVariables>;
export const AudienceDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Audience"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filters"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PropertyFilterInput"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"devices"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"filters"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filters"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<AudienceQuery, AudienceQueryVariables>;
export const SaveCampaignDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SaveCampaign"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaignEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]} as unknown as DocumentNode<SaveCampaignMutation, SaveCampaignMutationVariables>;