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
    "query CampaignList($applicationId: UUID!, $states: [CampaignState!], $search: String, $sort: CampaignSort!, $limit: Int!, $offset: Int!) {\n  campaigns(\n    applicationId: $applicationId\n    states: $states\n    search: $search\n    sort: $sort\n    limit: $limit\n    offset: $offset\n  ) {\n    id\n    name\n    state\n    version\n    priority\n    trigger {\n      event\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n    allowedTransitions\n    stats {\n      shown\n      resolved {\n        completed\n        dismissed\n        unavailable\n      }\n    }\n  }\n  campaignsCount(applicationId: $applicationId, states: $states, search: $search)\n}\n\nquery CampaignCounts($applicationId: UUID!, $search: String) {\n  DRAFT: campaignsCount(\n    applicationId: $applicationId\n    state: DRAFT\n    search: $search\n  )\n  SCHEDULED: campaignsCount(\n    applicationId: $applicationId\n    state: SCHEDULED\n    search: $search\n  )\n  ACTIVE: campaignsCount(\n    applicationId: $applicationId\n    state: ACTIVE\n    search: $search\n  )\n  PAUSED: campaignsCount(\n    applicationId: $applicationId\n    state: PAUSED\n    search: $search\n  )\n  FINISHED: campaignsCount(\n    applicationId: $applicationId\n    state: FINISHED\n    search: $search\n  )\n  ARCHIVED: campaignsCount(\n    applicationId: $applicationId\n    state: ARCHIVED\n    search: $search\n  )\n}": typeof types.CampaignListDocument,
};
const documents: Documents = {
    "query CampaignList($applicationId: UUID!, $states: [CampaignState!], $search: String, $sort: CampaignSort!, $limit: Int!, $offset: Int!) {\n  campaigns(\n    applicationId: $applicationId\n    states: $states\n    search: $search\n    sort: $sort\n    limit: $limit\n    offset: $offset\n  ) {\n    id\n    name\n    state\n    version\n    priority\n    trigger {\n      event\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n    allowedTransitions\n    stats {\n      shown\n      resolved {\n        completed\n        dismissed\n        unavailable\n      }\n    }\n  }\n  campaignsCount(applicationId: $applicationId, states: $states, search: $search)\n}\n\nquery CampaignCounts($applicationId: UUID!, $search: String) {\n  DRAFT: campaignsCount(\n    applicationId: $applicationId\n    state: DRAFT\n    search: $search\n  )\n  SCHEDULED: campaignsCount(\n    applicationId: $applicationId\n    state: SCHEDULED\n    search: $search\n  )\n  ACTIVE: campaignsCount(\n    applicationId: $applicationId\n    state: ACTIVE\n    search: $search\n  )\n  PAUSED: campaignsCount(\n    applicationId: $applicationId\n    state: PAUSED\n    search: $search\n  )\n  FINISHED: campaignsCount(\n    applicationId: $applicationId\n    state: FINISHED\n    search: $search\n  )\n  ARCHIVED: campaignsCount(\n    applicationId: $applicationId\n    state: ARCHIVED\n    search: $search\n  )\n}": types.CampaignListDocument,
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
export function graphql(source: "query CampaignList($applicationId: UUID!, $states: [CampaignState!], $search: String, $sort: CampaignSort!, $limit: Int!, $offset: Int!) {\n  campaigns(\n    applicationId: $applicationId\n    states: $states\n    search: $search\n    sort: $sort\n    limit: $limit\n    offset: $offset\n  ) {\n    id\n    name\n    state\n    version\n    priority\n    trigger {\n      event\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n    allowedTransitions\n    stats {\n      shown\n      resolved {\n        completed\n        dismissed\n        unavailable\n      }\n    }\n  }\n  campaignsCount(applicationId: $applicationId, states: $states, search: $search)\n}\n\nquery CampaignCounts($applicationId: UUID!, $search: String) {\n  DRAFT: campaignsCount(\n    applicationId: $applicationId\n    state: DRAFT\n    search: $search\n  )\n  SCHEDULED: campaignsCount(\n    applicationId: $applicationId\n    state: SCHEDULED\n    search: $search\n  )\n  ACTIVE: campaignsCount(\n    applicationId: $applicationId\n    state: ACTIVE\n    search: $search\n  )\n  PAUSED: campaignsCount(\n    applicationId: $applicationId\n    state: PAUSED\n    search: $search\n  )\n  FINISHED: campaignsCount(\n    applicationId: $applicationId\n    state: FINISHED\n    search: $search\n  )\n  ARCHIVED: campaignsCount(\n    applicationId: $applicationId\n    state: ARCHIVED\n    search: $search\n  )\n}"): (typeof documents)["query CampaignList($applicationId: UUID!, $states: [CampaignState!], $search: String, $sort: CampaignSort!, $limit: Int!, $offset: Int!) {\n  campaigns(\n    applicationId: $applicationId\n    states: $states\n    search: $search\n    sort: $sort\n    limit: $limit\n    offset: $offset\n  ) {\n    id\n    name\n    state\n    version\n    priority\n    trigger {\n      event\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    createdAt\n    createdBy\n    updatedAt\n    updatedBy\n    allowedTransitions\n    stats {\n      shown\n      resolved {\n        completed\n        dismissed\n        unavailable\n      }\n    }\n  }\n  campaignsCount(applicationId: $applicationId, states: $states, search: $search)\n}\n\nquery CampaignCounts($applicationId: UUID!, $search: String) {\n  DRAFT: campaignsCount(\n    applicationId: $applicationId\n    state: DRAFT\n    search: $search\n  )\n  SCHEDULED: campaignsCount(\n    applicationId: $applicationId\n    state: SCHEDULED\n    search: $search\n  )\n  ACTIVE: campaignsCount(\n    applicationId: $applicationId\n    state: ACTIVE\n    search: $search\n  )\n  PAUSED: campaignsCount(\n    applicationId: $applicationId\n    state: PAUSED\n    search: $search\n  )\n  FINISHED: campaignsCount(\n    applicationId: $applicationId\n    state: FINISHED\n    search: $search\n  )\n  ARCHIVED: campaignsCount(\n    applicationId: $applicationId\n    state: ARCHIVED\n    search: $search\n  )\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;