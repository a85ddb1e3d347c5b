/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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

export type CampaignMoveMutationVariables = Exact<{
  id: string;
  state: CampaignState;
  expectedVersion: number;
}>;


export type CampaignMoveMutation = { campaignChangeState: { id: string, state: CampaignState, version: number, allowedTransitions: Array<CampaignState> } };


export const CampaignMoveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"CampaignMove"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"state"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CampaignState"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"expectedVersion"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Int"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"campaignChangeState"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"Variable","name":{"kind":"Name","value":"state"}}},{"kind":"Argument","name":{"kind":"Name","value":"expectedVersion"},"value":{"kind":"Variable","name":{"kind":"Name","value":"expectedVersion"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"version"}},{"kind":"Field","name":{"kind":"Name","value":"allowedTransitions"}}]}}]}}]} as unknown as DocumentNode<CampaignMoveMutation, CampaignMoveMutationVariables>;