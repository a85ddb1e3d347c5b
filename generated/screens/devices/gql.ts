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
    "query Devices($applicationId: UUID!, $search: String, $filters: [PropertyFilterInput!], $activeSince: DateTime, $sort: DeviceSort, $includeTest: Boolean, $after: String) {\n  devices(\n    applicationId: $applicationId\n    search: $search\n    filters: $filters\n    activeSince: $activeSince\n    sort: $sort\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nquery UserDevices($applicationId: UUID!, $userId: String!, $includeTest: Boolean, $after: String) {\n  userDevices(\n    applicationId: $applicationId\n    userId: $userId\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}": typeof types.DevicesDocument,
};
const documents: Documents = {
    "query Devices($applicationId: UUID!, $search: String, $filters: [PropertyFilterInput!], $activeSince: DateTime, $sort: DeviceSort, $includeTest: Boolean, $after: String) {\n  devices(\n    applicationId: $applicationId\n    search: $search\n    filters: $filters\n    activeSince: $activeSince\n    sort: $sort\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nquery UserDevices($applicationId: UUID!, $userId: String!, $includeTest: Boolean, $after: String) {\n  userDevices(\n    applicationId: $applicationId\n    userId: $userId\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}": types.DevicesDocument,
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
export function graphql(source: "query Devices($applicationId: UUID!, $search: String, $filters: [PropertyFilterInput!], $activeSince: DateTime, $sort: DeviceSort, $includeTest: Boolean, $after: String) {\n  devices(\n    applicationId: $applicationId\n    search: $search\n    filters: $filters\n    activeSince: $activeSince\n    sort: $sort\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nquery UserDevices($applicationId: UUID!, $userId: String!, $includeTest: Boolean, $after: String) {\n  userDevices(\n    applicationId: $applicationId\n    userId: $userId\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}"): (typeof documents)["query Devices($applicationId: UUID!, $search: String, $filters: [PropertyFilterInput!], $activeSince: DateTime, $sort: DeviceSort, $includeTest: Boolean, $after: String) {\n  devices(\n    applicationId: $applicationId\n    search: $search\n    filters: $filters\n    activeSince: $activeSince\n    sort: $sort\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nquery UserDevices($applicationId: UUID!, $userId: String!, $includeTest: Boolean, $after: String) {\n  userDevices(\n    applicationId: $applicationId\n    userId: $userId\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;