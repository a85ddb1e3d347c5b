/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "query WebhooksList($applicationId: UUID!) {\n  webhooks(applicationId: $applicationId) {\n    id\n    url\n    events\n    enabled\n    gone\n    droppedEvents\n    lastDroppedAt\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n  }\n}\n\nquery WebhookDeliveries($webhookId: UUID!, $state: WebhookDeliveryState, $after: String) {\n  webhookDeliveries(\n    webhookId: $webhookId\n    state: $state\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      event\n      body\n      state\n      attempts\n      createdAt\n      lastAttemptAt\n      nextAttemptAt\n      deliveredAt\n      lastStatus\n      lastError\n    }\n    endCursor\n    hasMore\n  }\n}\n\nmutation WebhookSave($input: WebhookEditInput!) {\n  webhookEdit(input: $input) {\n    webhook {\n      id\n    }\n    secret\n  }\n}\n\nmutation WebhookDelete($id: UUID!) {\n  webhookDelete(id: $id)\n}\n\nmutation DeliverySendAgain($id: UUID!) {\n  webhookRedeliver(deliveryId: $id) {\n    id\n    state\n  }\n}": typeof types.WebhooksListDocument,
};
const documents: Documents = {
    "query WebhooksList($applicationId: UUID!) {\n  webhooks(applicationId: $applicationId) {\n    id\n    url\n    events\n    enabled\n    gone\n    droppedEvents\n    lastDroppedAt\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n  }\n}\n\nquery WebhookDeliveries($webhookId: UUID!, $state: WebhookDeliveryState, $after: String) {\n  webhookDeliveries(\n    webhookId: $webhookId\n    state: $state\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      event\n      body\n      state\n      attempts\n      createdAt\n      lastAttemptAt\n      nextAttemptAt\n      deliveredAt\n      lastStatus\n      lastError\n    }\n    endCursor\n    hasMore\n  }\n}\n\nmutation WebhookSave($input: WebhookEditInput!) {\n  webhookEdit(input: $input) {\n    webhook {\n      id\n    }\n    secret\n  }\n}\n\nmutation WebhookDelete($id: UUID!) {\n  webhookDelete(id: $id)\n}\n\nmutation DeliverySendAgain($id: UUID!) {\n  webhookRedeliver(deliveryId: $id) {\n    id\n    state\n  }\n}": types.WebhooksListDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "query WebhooksList($applicationId: UUID!) {\n  webhooks(applicationId: $applicationId) {\n    id\n    url\n    events\n    enabled\n    gone\n    droppedEvents\n    lastDroppedAt\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n  }\n}\n\nquery WebhookDeliveries($webhookId: UUID!, $state: WebhookDeliveryState, $after: String) {\n  webhookDeliveries(\n    webhookId: $webhookId\n    state: $state\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      event\n      body\n      state\n      attempts\n      createdAt\n      lastAttemptAt\n      nextAttemptAt\n      deliveredAt\n      lastStatus\n      lastError\n    }\n    endCursor\n    hasMore\n  }\n}\n\nmutation WebhookSave($input: WebhookEditInput!) {\n  webhookEdit(input: $input) {\n    webhook {\n      id\n    }\n    secret\n  }\n}\n\nmutation WebhookDelete($id: UUID!) {\n  webhookDelete(id: $id)\n}\n\nmutation DeliverySendAgain($id: UUID!) {\n  webhookRedeliver(deliveryId: $id) {\n    id\n    state\n  }\n}"): (typeof documents)["query WebhooksList($applicationId: UUID!) {\n  webhooks(applicationId: $applicationId) {\n    id\n    url\n    events\n    enabled\n    gone\n    droppedEvents\n    lastDroppedAt\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n  }\n}\n\nquery WebhookDeliveries($webhookId: UUID!, $state: WebhookDeliveryState, $after: String) {\n  webhookDeliveries(\n    webhookId: $webhookId\n    state: $state\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      event\n      body\n      state\n      attempts\n      createdAt\n      lastAttemptAt\n      nextAttemptAt\n      deliveredAt\n      lastStatus\n      lastError\n    }\n    endCursor\n    hasMore\n  }\n}\n\nmutation WebhookSave($input: WebhookEditInput!) {\n  webhookEdit(input: $input) {\n    webhook {\n      id\n    }\n    secret\n  }\n}\n\nmutation WebhookDelete($id: UUID!) {\n  webhookDelete(id: $id)\n}\n\nmutation DeliverySendAgain($id: UUID!) {\n  webhookRedeliver(deliveryId: $id) {\n    id\n    state\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;