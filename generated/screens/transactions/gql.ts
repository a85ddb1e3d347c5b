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
    "query StoreTransactions($applicationId: UUID!, $state: StoreTransactionState, $productId: String, $externalId: String, $deviceId: String, $from: DateTime, $to: DateTime, $after: String) {\n  storeTransactions(\n    applicationId: $applicationId\n    state: $state\n    productId: $productId\n    externalId: $externalId\n    deviceId: $deviceId\n    from: $from\n    to: $to\n    after: $after\n    limit: 50\n  ) {\n    nodes {\n      id\n      state\n      reason\n      receivedAt\n      resolvedAt\n      lastLookedUpAt\n      lastLookUpError\n      productId\n      originalId\n      kind\n      environment\n      purchasedAt\n      expiresAt\n      revokedAt\n      revocationReason\n      revocationType\n      revocationPercent\n      price\n      currency\n      quantity\n      ownership\n      offer\n      offerMode\n      storefront\n    }\n    endCursor\n    hasMore\n  }\n}\n\nquery TransactionProducts($applicationId: UUID!) {\n  products(applicationId: $applicationId) {\n    productId\n  }\n}": typeof types.StoreTransactionsDocument,
};
const documents: Documents = {
    "query StoreTransactions($applicationId: UUID!, $state: StoreTransactionState, $productId: String, $externalId: String, $deviceId: String, $from: DateTime, $to: DateTime, $after: String) {\n  storeTransactions(\n    applicationId: $applicationId\n    state: $state\n    productId: $productId\n    externalId: $externalId\n    deviceId: $deviceId\n    from: $from\n    to: $to\n    after: $after\n    limit: 50\n  ) {\n    nodes {\n      id\n      state\n      reason\n      receivedAt\n      resolvedAt\n      lastLookedUpAt\n      lastLookUpError\n      productId\n      originalId\n      kind\n      environment\n      purchasedAt\n      expiresAt\n      revokedAt\n      revocationReason\n      revocationType\n      revocationPercent\n      price\n      currency\n      quantity\n      ownership\n      offer\n      offerMode\n      storefront\n    }\n    endCursor\n    hasMore\n  }\n}\n\nquery TransactionProducts($applicationId: UUID!) {\n  products(applicationId: $applicationId) {\n    productId\n  }\n}": types.StoreTransactionsDocument,
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
export function graphql(source: "query StoreTransactions($applicationId: UUID!, $state: StoreTransactionState, $productId: String, $externalId: String, $deviceId: String, $from: DateTime, $to: DateTime, $after: String) {\n  storeTransactions(\n    applicationId: $applicationId\n    state: $state\n    productId: $productId\n    externalId: $externalId\n    deviceId: $deviceId\n    from: $from\n    to: $to\n    after: $after\n    limit: 50\n  ) {\n    nodes {\n      id\n      state\n      reason\n      receivedAt\n      resolvedAt\n      lastLookedUpAt\n      lastLookUpError\n      productId\n      originalId\n      kind\n      environment\n      purchasedAt\n      expiresAt\n      revokedAt\n      revocationReason\n      revocationType\n      revocationPercent\n      price\n      currency\n      quantity\n      ownership\n      offer\n      offerMode\n      storefront\n    }\n    endCursor\n    hasMore\n  }\n}\n\nquery TransactionProducts($applicationId: UUID!) {\n  products(applicationId: $applicationId) {\n    productId\n  }\n}"): (typeof documents)["query StoreTransactions($applicationId: UUID!, $state: StoreTransactionState, $productId: String, $externalId: String, $deviceId: String, $from: DateTime, $to: DateTime, $after: String) {\n  storeTransactions(\n    applicationId: $applicationId\n    state: $state\n    productId: $productId\n    externalId: $externalId\n    deviceId: $deviceId\n    from: $from\n    to: $to\n    after: $after\n    limit: 50\n  ) {\n    nodes {\n      id\n      state\n      reason\n      receivedAt\n      resolvedAt\n      lastLookedUpAt\n      lastLookUpError\n      productId\n      originalId\n      kind\n      environment\n      purchasedAt\n      expiresAt\n      revokedAt\n      revocationReason\n      revocationType\n      revocationPercent\n      price\n      currency\n      quantity\n      ownership\n      offer\n      offerMode\n      storefront\n    }\n    endCursor\n    hasMore\n  }\n}\n\nquery TransactionProducts($applicationId: UUID!) {\n  products(applicationId: $applicationId) {\n    productId\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;