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
    "query LiveEvents($applicationId: UUID!, $filters: [PropertyFilterInput!], $includeTest: Boolean, $limit: Int!) {\n  recentEvents(\n    applicationId: $applicationId\n    filters: $filters\n    includeTest: $includeTest\n    limit: $limit\n  ) {\n    nodes {\n      deviceId\n      sessionId\n      userId\n      name\n      type\n      timestamp\n      receivedAt\n      params\n    }\n    asOf\n  }\n}\n\nquery LiveIssues($applicationId: UUID!, $from: Date!, $to: Date!) {\n  ingestIssues(applicationId: $applicationId, from: $from, to: $to) {\n    nodes {\n      day\n      operation\n      status\n      reason\n      path\n      sdkVersion\n      appVersion\n      count\n      lastAt\n      samplePath\n      sampleMessage\n    }\n  }\n}": typeof types.LiveEventsDocument,
};
const documents: Documents = {
    "query LiveEvents($applicationId: UUID!, $filters: [PropertyFilterInput!], $includeTest: Boolean, $limit: Int!) {\n  recentEvents(\n    applicationId: $applicationId\n    filters: $filters\n    includeTest: $includeTest\n    limit: $limit\n  ) {\n    nodes {\n      deviceId\n      sessionId\n      userId\n      name\n      type\n      timestamp\n      receivedAt\n      params\n    }\n    asOf\n  }\n}\n\nquery LiveIssues($applicationId: UUID!, $from: Date!, $to: Date!) {\n  ingestIssues(applicationId: $applicationId, from: $from, to: $to) {\n    nodes {\n      day\n      operation\n      status\n      reason\n      path\n      sdkVersion\n      appVersion\n      count\n      lastAt\n      samplePath\n      sampleMessage\n    }\n  }\n}": types.LiveEventsDocument,
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
export function graphql(source: "query LiveEvents($applicationId: UUID!, $filters: [PropertyFilterInput!], $includeTest: Boolean, $limit: Int!) {\n  recentEvents(\n    applicationId: $applicationId\n    filters: $filters\n    includeTest: $includeTest\n    limit: $limit\n  ) {\n    nodes {\n      deviceId\n      sessionId\n      userId\n      name\n      type\n      timestamp\n      receivedAt\n      params\n    }\n    asOf\n  }\n}\n\nquery LiveIssues($applicationId: UUID!, $from: Date!, $to: Date!) {\n  ingestIssues(applicationId: $applicationId, from: $from, to: $to) {\n    nodes {\n      day\n      operation\n      status\n      reason\n      path\n      sdkVersion\n      appVersion\n      count\n      lastAt\n      samplePath\n      sampleMessage\n    }\n  }\n}"): (typeof documents)["query LiveEvents($applicationId: UUID!, $filters: [PropertyFilterInput!], $includeTest: Boolean, $limit: Int!) {\n  recentEvents(\n    applicationId: $applicationId\n    filters: $filters\n    includeTest: $includeTest\n    limit: $limit\n  ) {\n    nodes {\n      deviceId\n      sessionId\n      userId\n      name\n      type\n      timestamp\n      receivedAt\n      params\n    }\n    asOf\n  }\n}\n\nquery LiveIssues($applicationId: UUID!, $from: Date!, $to: Date!) {\n  ingestIssues(applicationId: $applicationId, from: $from, to: $to) {\n    nodes {\n      day\n      operation\n      status\n      reason\n      path\n      sdkVersion\n      appVersion\n      count\n      lastAt\n      samplePath\n      sampleMessage\n    }\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;