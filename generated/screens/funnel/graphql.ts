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

export type FunnelReportQueryVariables = Exact<{
  input: FunnelInput;
}>;


export type FunnelReportQuery = { funnel: { presentProperties: boolean, asOf: string, steps: Array<{ index: number, count: number, conversion: number | null, fromPrevious: number | null, medianSeconds: number | null }>, breakdown: Array<{ value: unknown, isOther: boolean, steps: Array<{ index: number, count: number, conversion: number | null, fromPrevious: number | null, medianSeconds: number | null }> }> | null } | null };

export type FunnelStepFiguresFragment = { index: number, count: number, conversion: number | null, fromPrevious: number | null, medianSeconds: number | null };

export const FunnelStepFiguresFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"FunnelStepFigures"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"FunnelStep"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"conversion"}},{"kind":"Field","name":{"kind":"Name","value":"fromPrevious"}},{"kind":"Field","name":{"kind":"Name","value":"medianSeconds"}}]}}]} as unknown as DocumentNode<FunnelStepFiguresFragment, unknown>;
export const FunnelReportDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"FunnelReport"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"FunnelInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"funnel"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"steps"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"FunnelStepFigures"}}]}},{"kind":"Field","name":{"kind":"Name","value":"breakdown"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"isOther"}},{"kind":"Field","name":{"kind":"Name","value":"steps"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"FunnelStepFigures"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"presentProperties"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"FunnelStepFigures"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"FunnelStep"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"count"}},{"kind":"Field","name":{"kind":"Name","value":"conversion"}},{"kind":"Field","name":{"kind":"Name","value":"fromPrevious"}},{"kind":"Field","name":{"kind":"Name","value":"medianSeconds"}}]}}]} as unknown as DocumentNode<FunnelReportQuery, FunnelReportQueryVariables>;