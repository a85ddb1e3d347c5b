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
    "query EventsReport($input: EventSeriesInput!, $before: EventSeriesInput!, $compare: Boolean!) {\n  eventSeries(input: $input) {\n    series {\n      index\n      event\n      breakdownValue\n      isOther\n      points {\n        start\n        complete\n        value\n      }\n      total\n    }\n    presentProperties\n    asOf\n  }\n  before: eventSeries(input: $before) @include(if: $compare) {\n    series {\n      index\n      points {\n        value\n      }\n      total\n    }\n  }\n}\n\nquery EventsNames($applicationId: UUID!, $search: String, $includeTest: Boolean!, $after: String) {\n  eventNames(\n    applicationId: $applicationId\n    search: $search\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      name\n      type\n      firstSeenAt\n      lastSeenAt\n      count30Days\n      params {\n        name\n        types\n        examples\n      }\n    }\n    endCursor\n    hasMore\n    asOf\n  }\n}": typeof types.EventsReportDocument,
};
const documents: Documents = {
    "query EventsReport($input: EventSeriesInput!, $before: EventSeriesInput!, $compare: Boolean!) {\n  eventSeries(input: $input) {\n    series {\n      index\n      event\n      breakdownValue\n      isOther\n      points {\n        start\n        complete\n        value\n      }\n      total\n    }\n    presentProperties\n    asOf\n  }\n  before: eventSeries(input: $before) @include(if: $compare) {\n    series {\n      index\n      points {\n        value\n      }\n      total\n    }\n  }\n}\n\nquery EventsNames($applicationId: UUID!, $search: String, $includeTest: Boolean!, $after: String) {\n  eventNames(\n    applicationId: $applicationId\n    search: $search\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      name\n      type\n      firstSeenAt\n      lastSeenAt\n      count30Days\n      params {\n        name\n        types\n        examples\n      }\n    }\n    endCursor\n    hasMore\n    asOf\n  }\n}": types.EventsReportDocument,
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
export function graphql(source: "query EventsReport($input: EventSeriesInput!, $before: EventSeriesInput!, $compare: Boolean!) {\n  eventSeries(input: $input) {\n    series {\n      index\n      event\n      breakdownValue\n      isOther\n      points {\n        start\n        complete\n        value\n      }\n      total\n    }\n    presentProperties\n    asOf\n  }\n  before: eventSeries(input: $before) @include(if: $compare) {\n    series {\n      index\n      points {\n        value\n      }\n      total\n    }\n  }\n}\n\nquery EventsNames($applicationId: UUID!, $search: String, $includeTest: Boolean!, $after: String) {\n  eventNames(\n    applicationId: $applicationId\n    search: $search\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      name\n      type\n      firstSeenAt\n      lastSeenAt\n      count30Days\n      params {\n        name\n        types\n        examples\n      }\n    }\n    endCursor\n    hasMore\n    asOf\n  }\n}"): (typeof documents)["query EventsReport($input: EventSeriesInput!, $before: EventSeriesInput!, $compare: Boolean!) {\n  eventSeries(input: $input) {\n    series {\n      index\n      event\n      breakdownValue\n      isOther\n      points {\n        start\n        complete\n        value\n      }\n      total\n    }\n    presentProperties\n    asOf\n  }\n  before: eventSeries(input: $before) @include(if: $compare) {\n    series {\n      index\n      points {\n        value\n      }\n      total\n    }\n  }\n}\n\nquery EventsNames($applicationId: UUID!, $search: String, $includeTest: Boolean!, $after: String) {\n  eventNames(\n    applicationId: $applicationId\n    search: $search\n    includeTest: $includeTest\n    limit: 50\n    after: $after\n  ) {\n    nodes {\n      name\n      type\n      firstSeenAt\n      lastSeenAt\n      count30Days\n      params {\n        name\n        types\n        examples\n      }\n    }\n    endCursor\n    hasMore\n    asOf\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;