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
    "query CampaignToEdit($id: UUID!) {\n  campaign(id: $id) {\n    id\n    application {\n      id\n    }\n    name\n    description\n    state\n    version\n    priority\n    trigger {\n      event\n      type\n      filters {\n        param\n        op\n        value\n      }\n    }\n    targeting {\n      platforms\n      appVersion {\n        min\n        max\n      }\n      osVersion {\n        min\n        max\n      }\n      sdkVersion {\n        min\n        max\n      }\n      appInstallVersion {\n        min\n        max\n      }\n      countries\n      userProperties {\n        name\n        op\n        value\n      }\n    }\n    frequency {\n      perSession\n      perDay\n      total\n      cooldownSeconds\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    action {\n      type\n      payload\n      blocking\n      deadlineSeconds\n    }\n    updatedAt\n    updatedBy\n  }\n}\n\nquery EditorCountries {\n  countries {\n    code\n    name\n  }\n}\n\nquery Audience($applicationId: UUID!, $filters: [PropertyFilterInput!]) {\n  devices(applicationId: $applicationId, filters: $filters, limit: 1) {\n    total\n    asOf\n  }\n}\n\nmutation SaveCampaign($input: CampaignEditInput!) {\n  campaignEdit(input: $input) {\n    id\n    version\n  }\n}": typeof types.CampaignToEditDocument,
};
const documents: Documents = {
    "query CampaignToEdit($id: UUID!) {\n  campaign(id: $id) {\n    id\n    application {\n      id\n    }\n    name\n    description\n    state\n    version\n    priority\n    trigger {\n      event\n      type\n      filters {\n        param\n        op\n        value\n      }\n    }\n    targeting {\n      platforms\n      appVersion {\n        min\n        max\n      }\n      osVersion {\n        min\n        max\n      }\n      sdkVersion {\n        min\n        max\n      }\n      appInstallVersion {\n        min\n        max\n      }\n      countries\n      userProperties {\n        name\n        op\n        value\n      }\n    }\n    frequency {\n      perSession\n      perDay\n      total\n      cooldownSeconds\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    action {\n      type\n      payload\n      blocking\n      deadlineSeconds\n    }\n    updatedAt\n    updatedBy\n  }\n}\n\nquery EditorCountries {\n  countries {\n    code\n    name\n  }\n}\n\nquery Audience($applicationId: UUID!, $filters: [PropertyFilterInput!]) {\n  devices(applicationId: $applicationId, filters: $filters, limit: 1) {\n    total\n    asOf\n  }\n}\n\nmutation SaveCampaign($input: CampaignEditInput!) {\n  campaignEdit(input: $input) {\n    id\n    version\n  }\n}": types.CampaignToEditDocument,
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
export function graphql(source: "query CampaignToEdit($id: UUID!) {\n  campaign(id: $id) {\n    id\n    application {\n      id\n    }\n    name\n    description\n    state\n    version\n    priority\n    trigger {\n      event\n      type\n      filters {\n        param\n        op\n        value\n      }\n    }\n    targeting {\n      platforms\n      appVersion {\n        min\n        max\n      }\n      osVersion {\n        min\n        max\n      }\n      sdkVersion {\n        min\n        max\n      }\n      appInstallVersion {\n        min\n        max\n      }\n      countries\n      userProperties {\n        name\n        op\n        value\n      }\n    }\n    frequency {\n      perSession\n      perDay\n      total\n      cooldownSeconds\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    action {\n      type\n      payload\n      blocking\n      deadlineSeconds\n    }\n    updatedAt\n    updatedBy\n  }\n}\n\nquery EditorCountries {\n  countries {\n    code\n    name\n  }\n}\n\nquery Audience($applicationId: UUID!, $filters: [PropertyFilterInput!]) {\n  devices(applicationId: $applicationId, filters: $filters, limit: 1) {\n    total\n    asOf\n  }\n}\n\nmutation SaveCampaign($input: CampaignEditInput!) {\n  campaignEdit(input: $input) {\n    id\n    version\n  }\n}"): (typeof documents)["query CampaignToEdit($id: UUID!) {\n  campaign(id: $id) {\n    id\n    application {\n      id\n    }\n    name\n    description\n    state\n    version\n    priority\n    trigger {\n      event\n      type\n      filters {\n        param\n        op\n        value\n      }\n    }\n    targeting {\n      platforms\n      appVersion {\n        min\n        max\n      }\n      osVersion {\n        min\n        max\n      }\n      sdkVersion {\n        min\n        max\n      }\n      appInstallVersion {\n        min\n        max\n      }\n      countries\n      userProperties {\n        name\n        op\n        value\n      }\n    }\n    frequency {\n      perSession\n      perDay\n      total\n      cooldownSeconds\n    }\n    schedule {\n      startAt\n      endAt\n    }\n    action {\n      type\n      payload\n      blocking\n      deadlineSeconds\n    }\n    updatedAt\n    updatedBy\n  }\n}\n\nquery EditorCountries {\n  countries {\n    code\n    name\n  }\n}\n\nquery Audience($applicationId: UUID!, $filters: [PropertyFilterInput!]) {\n  devices(applicationId: $applicationId, filters: $filters, limit: 1) {\n    total\n    asOf\n  }\n}\n\nmutation SaveCampaign($input: CampaignEditInput!) {\n  campaignEdit(input: $input) {\n    id\n    version\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;