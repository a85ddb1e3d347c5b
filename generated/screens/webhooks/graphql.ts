/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
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

export type WebhooksListQueryVariables = Exact<{
  applicationId: string;
}>;


export type WebhooksListQuery = { webhooks: Array<{ id: string, url: string, events: Array<WebhookEvent> | null, enabled: boolean, gone: boolean, createdAt: string, createdBy: string, updatedAt: string, updatedBy: string }> };

export type WebhookDeliveriesQueryVariables = Exact<{
  webhookId: string;
  state?: WebhookDeliveryState | null | undefined;
  after?: string | null | undefined;
}>;


export type WebhookDeliveriesQuery = { webhookDeliveries: { endCursor: string | null, hasMore: boolean, nodes: Array<{ id: string, event: WebhookEvent, body: unknown, state: WebhookDeliveryState, attempts: number, createdAt: string, lastAttemptAt: string | null, nextAttemptAt: string | null, deliveredAt: string | null, lastStatus: number | null, lastError: string | null }> } };

export type WebhookSaveMutationVariables = Exact<{
  input: WebhookEditInput;
}>;


export type WebhookSaveMutation = { webhookEdit: { secret: string | null, webhook: { id: string } } };

export type WebhookDeleteMutationVariables = Exact<{
  id: string;
}>;


export type WebhookDeleteMutation = { webhookDelete: boolean };

export type DeliverySendAgainMutationVariables = Exact<{
  id: string;
}>;


export type DeliverySendAgainMutation = { webhookRedeliver: { id: string, state: WebhookDeliveryState } };


export const WebhooksListDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhooksList"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhooks"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"url"}},{"kind":"Field","name":{"kind":"Name","value":"events"}},{"kind":"Field","name":{"kind":"Name","value":"enabled"}},{"kind":"Field","name":{"kind":"Name","value":"gone"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"createdBy"}},{"kind":"Field","name":{"kind":"Name","value":"updatedAt"}},{"kind":"Field","name":{"kind":"Name","value":"updatedBy"}}]}}]}}]} as unknown as DocumentNode<WebhooksListQuery, WebhooksListQueryVariables>;
export const WebhookDeliveriesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"WebhookDeliveries"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"webhookId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"state"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookDeliveryState"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookDeliveries"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"webhookId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"webhookId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"Variable","name":{"kind":"Name","value":"state"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"50"}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"event"}},{"kind":"Field","name":{"kind":"Name","value":"body"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"attempts"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastAttemptAt"}},{"kind":"Field","name":{"kind":"Name","value":"nextAttemptAt"}},{"kind":"Field","name":{"kind":"Name","value":"deliveredAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastStatus"}},{"kind":"Field","name":{"kind":"Name","value":"lastError"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<WebhookDeliveriesQuery, WebhookDeliveriesQueryVariables>;
export const WebhookSaveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"WebhookSave"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"WebhookEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhook"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}},{"kind":"Field","name":{"kind":"Name","value":"secret"}}]}}]}}]} as unknown as DocumentNode<WebhookSaveMutation, WebhookSaveMutationVariables>;
export const WebhookDeleteDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"WebhookDelete"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookDelete"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}]}]}}]} as unknown as DocumentNode<WebhookDeleteMutation, WebhookDeleteMutationVariables>;
export const DeliverySendAgainDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DeliverySendAgain"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"webhookRedeliver"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"deliveryId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}}]}}]}}]} as unknown as DocumentNode<DeliverySendAgainMutation, DeliverySendAgainMutationVariables>;