/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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

export type CampaignToEditQueryVariables = Exact<{
  id: string;
}>;


export type CampaignToEditQuery = { campaign: { id: string, name: string, description: string | null, state: CampaignState, version: number, priority: number, updatedAt: string, updatedBy: string | null, application: { id: string }, trigger: { event: string, type: EventType, filters: Array<{ param: string, op: ConditionOperator, value: unknown }> } | null, targeting: { platforms: Array<string>, countries: Array<string>, appVersion: { min: number | null, max: number | null } | null, osVersion: { min: number | null, max: number | null } | null, sdkVersion: { min: number | null, max: number | null } | null, appInstallVersion: { min: number | null, max: number | null } | null, userProperties: Array<Array<{ name: string, op: ConditionOperator, value: unknown }>> } | null, frequency: { perSession: number | null, perDay: number | null, total: number | null, cooldownSeconds: number | null } | null, schedule: { startAt: string | null, endAt: string | null } | null, action: { type: string, payload: unknown, blocking: boolean, deadlineSeconds: number | null } | null } | null };

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


export const CampaignToEditDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignToEdit"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaign"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"application"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}},{"kind":"Field","name":{"kind":"Name","value":"trigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"filters"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"param"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"targeting"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"platforms"}},{"kind":"Field","name":{"kind":"Name","value":"appVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"osVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"sdkVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"appInstallVersion"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"min"}},{"kind":"Field","name":{"kind":"Name","value":"max"}}]}},{"kind":"Field","name":{"kind":"Name","value":"countries"}},{"kind":"Field","name":{"kind":"Name","value":"userProperties"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"op"}},{"kind":"Field","name":{"kind":"Name","value":"value"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"frequency"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"perSession"}},{"kind":"Field","name":{"kind":"Name","value":"perDay"}},{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"cooldownSeconds"}}]}},{"kind":"Field","name":{"kind":"Name","value":"schedule"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startAt"}},{"kind":"Field","name":{"kind":"Name","value":"endAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"action"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"type"}},{"kind":"Field","name":{"kind":"Name","value":"payload"}},{"kind":"Field","name":{"kind":"Name","value":"blocking"}},{"kind":"Field","name":{"kind":"Name","value":"deadlineSeconds"}}]}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedBy"}}]}}]}}]} as unknown as DocumentNode<CampaignToEditQuery, CampaignToEditQueryVariables>;
export const EditorCountriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"EditorCountries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"countries"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"code"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<EditorCountriesQuery, EditorCountriesQueryVariables>;
export const AudienceDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Audience"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"filters"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"PropertyFilterInput"}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"devices"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"filters"},"value":{"kind":"Variable","name":{"kind":"Name","value":"filters"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"1"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"total"}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}}]}}]} as unknown as DocumentNode<AudienceQuery, AudienceQueryVariables>;
export const SaveCampaignDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"SaveCampaign"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaignEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"version"}}]}}]}}]} as unknown as DocumentNode<SaveCampaignMutation, SaveCampaignMutationVariables>;