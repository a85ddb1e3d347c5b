/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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


export const CampaignListDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignList"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"states"}},"type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignState"}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sort"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignSort"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"limit"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"offset"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaigns"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"states"},"value":{"kind":"Variable","name":{"kind":"Name","value":"states"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}},{"kind":"Argument","name":{"kind":"Name","value":"sort"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sort"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"Variable","name":{"kind":"Name","value":"limit"}}},{"kind":"Argument","name":{"kind":"Name","value":"offset"},"value":{"kind":"Variable","name":{"kind":"Name","value":"offset"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"priority"}},{"kind":"Field","name":{"kind":"Name","value":"trigger"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"}}]}},{"kind":"Field","name":{"kind":"Name","value":"schedule"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"startAt"}},{"kind":"Field","name":{"kind":"Name","value":"endAt"}}]}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedBy"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}},{"kind":"Field","name":{"kind":"Name","value":"stats"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"shown"}},{"kind":"Field","name":{"kind":"Name","value":"resolved"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"completed"}},{"kind":"Field","name":{"kind":"Name","value":"dismissed"}},{"kind":"Field","name":{"kind":"Name","value":"unavailable"}}]}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"states"},"value":{"kind":"Variable","name":{"kind":"Name","value":"states"}}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]}]}}]} as unknown as DocumentNode<CampaignListQuery, CampaignListQueryVariables>;
export const CampaignCountsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"CampaignCounts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"search"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","alias":{"kind":"Name","value":"DRAFT"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"DRAFT"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"SCHEDULED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"SCHEDULED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"ACTIVE"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"ACTIVE"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"PAUSED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"PAUSED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"FINISHED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"FINISHED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]},{"kind":"Field","alias":{"kind":"Name","value":"ARCHIVED"},"name":{"kind":"Name","value":"campaignsCount"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"EnumValue","value":"ARCHIVED"}},{"kind":"Argument","name":{"kind":"Name","value":"search"},"value":{"kind":"Variable","name":{"kind":"Name","value":"search"}}}]}]}}]} as unknown as DocumentNode<CampaignCountsQuery, CampaignCountsQueryVariables>;