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
    "query ApplicationsList {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      createdAt\n    }\n  }\n}\n\nquery ApplicationSettings {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      entitlementPolicy\n      testDevices\n      createdAt\n    }\n  }\n}\n\nmutation ProjectSave($input: ProjectEditInput!) {\n  projectEdit(input: $input) {\n    id\n    name\n  }\n}\n\nmutation ProjectDelete($id: UUID!) {\n  projectDelete(id: $id)\n}\n\nmutation ApplicationSave($input: ApplicationEditInput!) {\n  applicationEdit(input: $input) {\n    id\n    name\n    project {\n      id\n    }\n  }\n}\n\nmutation ApplicationDelete($id: UUID!) {\n  applicationDelete(id: $id)\n}": typeof types.ApplicationsListDocument,
};
const documents: Documents = {
    "query ApplicationsList {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      createdAt\n    }\n  }\n}\n\nquery ApplicationSettings {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      entitlementPolicy\n      testDevices\n      createdAt\n    }\n  }\n}\n\nmutation ProjectSave($input: ProjectEditInput!) {\n  projectEdit(input: $input) {\n    id\n    name\n  }\n}\n\nmutation ProjectDelete($id: UUID!) {\n  projectDelete(id: $id)\n}\n\nmutation ApplicationSave($input: ApplicationEditInput!) {\n  applicationEdit(input: $input) {\n    id\n    name\n    project {\n      id\n    }\n  }\n}\n\nmutation ApplicationDelete($id: UUID!) {\n  applicationDelete(id: $id)\n}": types.ApplicationsListDocument,
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
export function graphql(source: "query ApplicationsList {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      createdAt\n    }\n  }\n}\n\nquery ApplicationSettings {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      entitlementPolicy\n      testDevices\n      createdAt\n    }\n  }\n}\n\nmutation ProjectSave($input: ProjectEditInput!) {\n  projectEdit(input: $input) {\n    id\n    name\n  }\n}\n\nmutation ProjectDelete($id: UUID!) {\n  projectDelete(id: $id)\n}\n\nmutation ApplicationSave($input: ApplicationEditInput!) {\n  applicationEdit(input: $input) {\n    id\n    name\n    project {\n      id\n    }\n  }\n}\n\nmutation ApplicationDelete($id: UUID!) {\n  applicationDelete(id: $id)\n}"): (typeof documents)["query ApplicationsList {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      createdAt\n    }\n  }\n}\n\nquery ApplicationSettings {\n  projects {\n    id\n    name\n    applications {\n      id\n      name\n      bundleId\n      platform\n      timeZone\n      entitlementPolicy\n      testDevices\n      createdAt\n    }\n  }\n}\n\nmutation ProjectSave($input: ProjectEditInput!) {\n  projectEdit(input: $input) {\n    id\n    name\n  }\n}\n\nmutation ProjectDelete($id: UUID!) {\n  projectDelete(id: $id)\n}\n\nmutation ApplicationSave($input: ApplicationEditInput!) {\n  applicationEdit(input: $input) {\n    id\n    name\n    project {\n      id\n    }\n  }\n}\n\nmutation ApplicationDelete($id: UUID!) {\n  applicationDelete(id: $id)\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;