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

/** The property by which the counted events are broken down, see "Breakdowns". */
export type BreakdownInput = {
  /** The name, as `PropertyFilterInput.property`. */
  property: string;
  /** Where the property belongs. */
  scope: PropertyScope;
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

/** The length of the points of a report. */
export type ReportInterval =
  /** Calendar days. */
  | 'DAY'
  /** Calendar months. */
  | 'MONTH'
  /** Weeks from Monday. */
  | 'WEEK';

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

export type BehindQueryVariables = Exact<{
  of: DevicesBehindInput;
  point: DevicesBehindPointInput;
  after?: string | null | undefined;
}>;


export type BehindQuery = { devicesBehind: { total: number, endCursor: string | null, hasMore: boolean, asOf: string, nodes: Array<{ id: string, userId: string | null, platform: string | null, country: string | null, appVersion: number | null, firstSeenAt: string, lastSeenAt: string, sessionsCount: number }> } | null };

export type CampaignMoveMutationVariables = Exact<{
  id: string;
  state: CampaignState;
  expectedVersion: number;
}>;


export type CampaignMoveMutation = { campaignChangeState: { id: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState> } };

export type KeySecretMutationVariables = Exact<{
  public: string;
}>;


export type KeySecretMutation = { apiKeyEdit: { secret: string } };

export type EventNamesQueryVariables = Exact<{
  applicationId: string;
  search?: string | null | undefined;
}>;


export type EventNamesQuery = { eventNames: { nodes: Array<{ name: string, type: EventType }> } | null };

export type PropertyNamesQueryVariables = Exact<{
  applicationId: string;
  scope: PropertyScope;
  search?: string | null | undefined;
}>;


export type PropertyNamesQuery = { propertyNames: { nodes: Array<{ name: string }> } | null };


export const BehindDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Behind"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"of"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DevicesBehindInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"point"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DevicesBehindPointInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"devicesBehind"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"of"},"value":{"kind":"Variable","name":{"kind":"Name","value":"of"}}},{"kind":"Argument","name":{"kind":"Name","value":"point"},"value":{"kind":"Variable","name":{"kind":"Name","value":"point"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"userId"}},{"kind":"Field","name":{"kind":"Name","value":"platform"}},{"kind":"Field","name":{"kind":"Name","value":"country"}},{"kind":"Field","name":{"kind":"Name","value":"appVersion"}},{"kind":"Field","name":{"kind":"Name","value":"firstSeenAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastSeenAt"}},{"kind":"Field","name":{"kind":"Name","value":"sessionsCount"}}]}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<BehindQuery, BehindQueryVariables>;
export const CampaignMoveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CampaignMove"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"state"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignState"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"expectedVersion"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaignChangeState"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"Variable","name":{"kind":"Name","value":"state"}}},{"kind":"Argument","name":{"kind":"Name","value":"expectedVersion"},"value":{"kind":"Variable","name":{"kind":"Name","value":"expectedVersion"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]}}]} as unknown as DocumentNode<CampaignMoveMutation, CampaignMoveMutationVariables>;
export const KeySecretDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"KeySecret"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"public"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"apiKeyEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"ObjectValue","fields":[{"kind":"ObjectField","name":{"kind":"Name","value":"public"},"value":{"kind":"Variable","name":{"kind":"Name","value":"public"}}}]}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"secret"}}]}}]}}]} as unknown as DocumentNode<KeySecretMutation, KeySecretMutationVariables>;
export const EventNamesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EventNames"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"eventNames"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"type"}}]}}]}}]}}]} as unknown as DocumentNode<EventNamesQuery, EventNamesQueryVariables>;
export const PropertyNamesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"PropertyNames"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"scope"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PropertyScope"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"propertyNames"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"scope"},"value":{"kind":"Variable","name":{"kind":"Name","value":"scope"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"20"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]}}]} as unknown as DocumentNode<PropertyNamesQuery, PropertyNamesQueryVariables>;