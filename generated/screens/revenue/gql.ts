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
    "query RevenueCurrencies($applicationId: UUID!, $includeTest: Boolean) {\n  revenueCurrencies(applicationId: $applicationId, includeTest: $includeTest)\n}\n\nquery Revenue($asked: RevenueInput!, $before: RevenueInput!) {\n  revenue(input: $asked) {\n    points {\n      start\n      complete\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n    breakdown {\n      value\n      isOther\n      points {\n        start\n        ...Figures\n      }\n    }\n    asOf\n  }\n  before: revenue(input: $before) {\n    points {\n      start\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n  }\n}\n\nfragment Figures on RevenuePoint {\n  gross\n  refunds\n  purchases\n  payers\n  renewals\n}": typeof types.RevenueCurrenciesDocument,
};
const documents: Documents = {
    "query RevenueCurrencies($applicationId: UUID!, $includeTest: Boolean) {\n  revenueCurrencies(applicationId: $applicationId, includeTest: $includeTest)\n}\n\nquery Revenue($asked: RevenueInput!, $before: RevenueInput!) {\n  revenue(input: $asked) {\n    points {\n      start\n      complete\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n    breakdown {\n      value\n      isOther\n      points {\n        start\n        ...Figures\n      }\n    }\n    asOf\n  }\n  before: revenue(input: $before) {\n    points {\n      start\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n  }\n}\n\nfragment Figures on RevenuePoint {\n  gross\n  refunds\n  purchases\n  payers\n  renewals\n}": types.RevenueCurrenciesDocument,
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
export function graphql(source: "query RevenueCurrencies($applicationId: UUID!, $includeTest: Boolean) {\n  revenueCurrencies(applicationId: $applicationId, includeTest: $includeTest)\n}\n\nquery Revenue($asked: RevenueInput!, $before: RevenueInput!) {\n  revenue(input: $asked) {\n    points {\n      start\n      complete\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n    breakdown {\n      value\n      isOther\n      points {\n        start\n        ...Figures\n      }\n    }\n    asOf\n  }\n  before: revenue(input: $before) {\n    points {\n      start\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n  }\n}\n\nfragment Figures on RevenuePoint {\n  gross\n  refunds\n  purchases\n  payers\n  renewals\n}"): (typeof documents)["query RevenueCurrencies($applicationId: UUID!, $includeTest: Boolean) {\n  revenueCurrencies(applicationId: $applicationId, includeTest: $includeTest)\n}\n\nquery Revenue($asked: RevenueInput!, $before: RevenueInput!) {\n  revenue(input: $asked) {\n    points {\n      start\n      complete\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n    breakdown {\n      value\n      isOther\n      points {\n        start\n        ...Figures\n      }\n    }\n    asOf\n  }\n  before: revenue(input: $before) {\n    points {\n      start\n      ...Figures\n    }\n    totals {\n      gross\n      refunds\n      purchases\n      payers\n      renewals\n    }\n  }\n}\n\nfragment Figures on RevenuePoint {\n  gross\n  refunds\n  purchases\n  payers\n  renewals\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;