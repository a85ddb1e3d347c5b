/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The kinds of product in the store. */
export type EntitlementKind =
  /** A subscription that renews by itself. */
  | 'AUTO_RENEWABLE'
  /** The user uses it up and can buy it again. */
  | 'CONSUMABLE'
  /** The user buys it once and keeps it for ever. */
  | 'NON_CONSUMABLE'
  /** A subscription for a fixed time. */
  | 'NON_RENEWING';

/** The environments of the store. */
export type StoreEnvironment =
  /** Real purchases. */
  | 'PRODUCTION'
  /** Test purchases. */
  | 'SANDBOX';

/** The offers of the store. */
export type StoreOffer =
  /** By a code. */
  | 'CODE'
  /** For new subscribers. */
  | 'INTRODUCTORY'
  /** The plain price. */
  | 'NONE'
  /** For present or former subscribers. */
  | 'PROMOTIONAL'
  /** For those who ended their subscription. */
  | 'WIN_BACK';

/** How the user pays for an offer. */
export type StoreOfferMode =
  /** Nothing. */
  | 'FREE_TRIAL'
  /** Once. */
  | 'ONE_TIME'
  /** For each period. */
  | 'PAY_AS_YOU_GO'
  /** For several periods at once. */
  | 'PAY_UP_FRONT';

/** Whose purchase it is. */
export type StoreOwnership =
  /** Shared by somebody of the user's family. */
  | 'FAMILY_SHARED'
  /** The user's own. */
  | 'PURCHASED';

/** Why the store took a purchase back. */
export type StoreRevocationReason =
  /** An actual or perceived issue of the app. */
  | 'APP_ISSUE'
  /** Any other reason. */
  | 'OTHER';

/** How the store took a purchase back. */
export type StoreRevocationType =
  /** The family's sharing ended. */
  | 'FAMILY_REVOKE'
  /** The whole price was refunded. */
  | 'REFUND_FULL'
  /** Part of the price was refunded. */
  | 'REFUND_PRORATED';

/**
 * The states of a store transaction. `PENDING` becomes one of the other three. Each of these can become `RESOLVED` by a
 * later look-up or by a notification of the store.
 */
export type StoreTransactionState =
  /** The store refused the request for good, or its response does not verify. `StoreTransaction.reason` says why. */
  | 'FAILED'
  /** For 24 hours the store has not known the transaction, neither in production nor in the sandbox. */
  | 'NOT_FOUND'
  /** The transaction waits for its first or next look-up. `StoreTransaction.reason` says for what. */
  | 'PENDING'
  /** The service looked the transaction up, or got a notification with it, and verified it. */
  | 'RESOLVED';

export type StoreTransactionsQueryVariables = Exact<{
  applicationId: string;
  state?: StoreTransactionState | null | undefined;
  productId?: string | null | undefined;
  externalId?: string | null | undefined;
  deviceId?: string | null | undefined;
  from?: string | null | undefined;
  to?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type StoreTransactionsQuery = { storeTransactions: { endCursor: string | null, hasMore: boolean, nodes: Array<{ id: string, state: StoreTransactionState, reason: string | null, receivedAt: string, resolvedAt: string | null, lastLookedUpAt: string | null, lastLookUpError: string | null, productId: string | null, originalId: string | null, kind: EntitlementKind | null, environment: StoreEnvironment | null, purchasedAt: string | null, expiresAt: string | null, revokedAt: string | null, revocationReason: StoreRevocationReason | null, revocationType: StoreRevocationType | null, revocationPercent: number | null, price: string | null, currency: string | null, quantity: number | null, ownership: StoreOwnership | null, offer: StoreOffer | null, offerMode: StoreOfferMode | null, storefront: string | null }> } };

export type TransactionProductsQueryVariables = Exact<{
  applicationId: string;
}>;


export type TransactionProductsQuery = { products: Array<{ productId: string }> };


export const StoreTransactionsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"StoreTransactions"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"state"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"StoreTransactionState"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"productId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"externalId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"deviceId"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"from"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"to"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"storeTransactions"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"state"},"value":{"kind":"Variable","name":{"kind":"Name","value":"state"}}},{"kind":"Argument","name":{"kind":"Name","value":"productId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"productId"}}},{"kind":"Argument","name":{"kind":"Name","value":"externalId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"externalId"}}},{"kind":"Argument","name":{"kind":"Name","value":"deviceId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"deviceId"}}},{"kind":"Argument","name":{"kind":"Name","value":"from"},"value":{"kind":"Variable","name":{"kind":"Name","value":"from"}}},{"kind":"Argument","name":{"kind":"Name","value":"to"},"value":{"kind":"Variable","name":{"kind":"Name","value":"to"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}},{"kind":"Argument","name":{"kind":"Name","value":"limit"},"value":{"kind":"IntValue","value":"50"}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"state"}},{"kind":"Field","name":{"kind":"Name","value":"reason"}},{"kind":"Field","name":{"kind":"Name","value":"receivedAt"}},{"kind":"Field","name":{"kind":"Name","value":"resolvedAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastLookedUpAt"}},{"kind":"Field","name":{"kind":"Name","value":"lastLookUpError"}},{"kind":"Field","name":{"kind":"Name","value":"productId"}},{"kind":"Field","name":{"kind":"Name","value":"originalId"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"environment"}},{"kind":"Field","name":{"kind":"Name","value":"purchasedAt"}},{"kind":"Field","name":{"kind":"Name","value":"expiresAt"}},{"kind":"Field","name":{"kind":"Name","value":"revokedAt"}},{"kind":"Field","name":{"kind":"Name","value":"revocationReason"}},{"kind":"Field","name":{"kind":"Name","value":"revocationType"}},{"kind":"Field","name":{"kind":"Name","value":"revocationPercent"}},{"kind":"Field","name":{"kind":"Name","value":"price"}},{"kind":"Field","name":{"kind":"Name","value":"currency"}},{"kind":"Field","name":{"kind":"Name","value":"quantity"}},{"kind":"Field","name":{"kind":"Name","value":"ownership"}},{"kind":"Field","name":{"kind":"Name","value":"offer"}},{"kind":"Field","name":{"kind":"Name","value":"offerMode"}},{"kind":"Field","name":{"kind":"Name","value":"storefront"}}]}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}},{"kind":"Field","name":{"kind":"Name","value":"hasMore"}}]}}]}}]} as unknown as DocumentNode<StoreTransactionsQuery, StoreTransactionsQueryVariables>;
export const TransactionProductsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"TransactionProducts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"products"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productId"}}]}}]}}]} as unknown as DocumentNode<TransactionProductsQuery, TransactionProductsQueryVariables>;