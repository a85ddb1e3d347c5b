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
    "query Behind($of: DevicesBehindInput!, $point: DevicesBehindPointInput!, $after: String) {\n  devicesBehind(of: $of, point: $point, limit: 50, after: $after) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nmutation CampaignMove($id: UUID!, $state: CampaignState!, $expectedVersion: Int!) {\n  campaignChangeState(id: $id, state: $state, expectedVersion: $expectedVersion) {\n    id\n    state\n    version\n    allowedTransitions\n  }\n}\n\nmutation KeySecret($public: String!) {\n  apiKeyEdit(input: {public: $public}) {\n    secret\n  }\n}\n\nquery EventNames($applicationId: UUID!, $search: String) {\n  eventNames(applicationId: $applicationId, search: $search, limit: 20) {\n    nodes {\n      name\n      type\n    }\n  }\n}\n\nquery PropertyNames($applicationId: UUID!, $scope: PropertyScope!, $search: String) {\n  propertyNames(\n    applicationId: $applicationId\n    scope: $scope\n    search: $search\n    limit: 20\n  ) {\n    nodes {\n      name\n    }\n  }\n}": typeof types.BehindDocument,
};
const documents: Documents = {
    "query Behind($of: DevicesBehindInput!, $point: DevicesBehindPointInput!, $after: String) {\n  devicesBehind(of: $of, point: $point, limit: 50, after: $after) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nmutation CampaignMove($id: UUID!, $state: CampaignState!, $expectedVersion: Int!) {\n  campaignChangeState(id: $id, state: $state, expectedVersion: $expectedVersion) {\n    id\n    state\n    version\n    allowedTransitions\n  }\n}\n\nmutation KeySecret($public: String!) {\n  apiKeyEdit(input: {public: $public}) {\n    secret\n  }\n}\n\nquery EventNames($applicationId: UUID!, $search: String) {\n  eventNames(applicationId: $applicationId, search: $search, limit: 20) {\n    nodes {\n      name\n      type\n    }\n  }\n}\n\nquery PropertyNames($applicationId: UUID!, $scope: PropertyScope!, $search: String) {\n  propertyNames(\n    applicationId: $applicationId\n    scope: $scope\n    search: $search\n    limit: 20\n  ) {\n    nodes {\n      name\n    }\n  }\n}": types.BehindDocument,
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
export function graphql(source: "query Behind($of: DevicesBehindInput!, $point: DevicesBehindPointInput!, $after: String) {\n  devicesBehind(of: $of, point: $point, limit: 50, after: $after) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nmutation CampaignMove($id: UUID!, $state: CampaignState!, $expectedVersion: Int!) {\n  campaignChangeState(id: $id, state: $state, expectedVersion: $expectedVersion) {\n    id\n    state\n    version\n    allowedTransitions\n  }\n}\n\nmutation KeySecret($public: String!) {\n  apiKeyEdit(input: {public: $public}) {\n    secret\n  }\n}\n\nquery EventNames($applicationId: UUID!, $search: String) {\n  eventNames(applicationId: $applicationId, search: $search, limit: 20) {\n    nodes {\n      name\n      type\n    }\n  }\n}\n\nquery PropertyNames($applicationId: UUID!, $scope: PropertyScope!, $search: String) {\n  propertyNames(\n    applicationId: $applicationId\n    scope: $scope\n    search: $search\n    limit: 20\n  ) {\n    nodes {\n      name\n    }\n  }\n}"): (typeof documents)["query Behind($of: DevicesBehindInput!, $point: DevicesBehindPointInput!, $after: String) {\n  devicesBehind(of: $of, point: $point, limit: 50, after: $after) {\n    nodes {\n      id\n      userId\n      platform\n      country\n      appVersion\n      firstSeenAt\n      lastSeenAt\n      sessionsCount\n    }\n    total\n    endCursor\n    hasMore\n    asOf\n  }\n}\n\nmutation CampaignMove($id: UUID!, $state: CampaignState!, $expectedVersion: Int!) {\n  campaignChangeState(id: $id, state: $state, expectedVersion: $expectedVersion) {\n    id\n    state\n    version\n    allowedTransitions\n  }\n}\n\nmutation KeySecret($public: String!) {\n  apiKeyEdit(input: {public: $public}) {\n    secret\n  }\n}\n\nquery EventNames($applicationId: UUID!, $search: String) {\n  eventNames(applicationId: $applicationId, search: $search, limit: 20) {\n    nodes {\n      name\n      type\n    }\n  }\n}\n\nquery PropertyNames($applicationId: UUID!, $scope: PropertyScope!, $search: String) {\n  propertyNames(\n    applicationId: $applicationId\n    scope: $scope\n    search: $search\n    limit: 20\n  ) {\n    nodes {\n      name\n    }\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;