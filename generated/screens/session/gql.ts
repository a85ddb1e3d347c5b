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
    "mutation Refresh($token: String!) {\n  refreshToken(token: $token) {\n    token\n    refreshToken\n  }\n}\n\nmutation Login($input: LoginInput!) {\n  login(input: $input) {\n    ...Begun\n  }\n}\n\nmutation SwitchOrganization($id: UUID!) {\n  organizationSwitch(id: $id) {\n    ...Begun\n  }\n}\n\nfragment Begun on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}\n\nmutation Logout {\n  logout\n}\n\nquery Me {\n  me {\n    id\n    email\n    name\n    role\n    avatar\n    emailVerified\n  }\n  organization {\n    id\n    name\n    logo\n    projects {\n      id\n      name\n      applications {\n        id\n        name\n        platform\n        timeZone\n      }\n    }\n  }\n}": typeof types.RefreshDocument,
};
const documents: Documents = {
    "mutation Refresh($token: String!) {\n  refreshToken(token: $token) {\n    token\n    refreshToken\n  }\n}\n\nmutation Login($input: LoginInput!) {\n  login(input: $input) {\n    ...Begun\n  }\n}\n\nmutation SwitchOrganization($id: UUID!) {\n  organizationSwitch(id: $id) {\n    ...Begun\n  }\n}\n\nfragment Begun on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}\n\nmutation Logout {\n  logout\n}\n\nquery Me {\n  me {\n    id\n    email\n    name\n    role\n    avatar\n    emailVerified\n  }\n  organization {\n    id\n    name\n    logo\n    projects {\n      id\n      name\n      applications {\n        id\n        name\n        platform\n        timeZone\n      }\n    }\n  }\n}": types.RefreshDocument,
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
export function graphql(source: "mutation Refresh($token: String!) {\n  refreshToken(token: $token) {\n    token\n    refreshToken\n  }\n}\n\nmutation Login($input: LoginInput!) {\n  login(input: $input) {\n    ...Begun\n  }\n}\n\nmutation SwitchOrganization($id: UUID!) {\n  organizationSwitch(id: $id) {\n    ...Begun\n  }\n}\n\nfragment Begun on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}\n\nmutation Logout {\n  logout\n}\n\nquery Me {\n  me {\n    id\n    email\n    name\n    role\n    avatar\n    emailVerified\n  }\n  organization {\n    id\n    name\n    logo\n    projects {\n      id\n      name\n      applications {\n        id\n        name\n        platform\n        timeZone\n      }\n    }\n  }\n}"): (typeof documents)["mutation Refresh($token: String!) {\n  refreshToken(token: $token) {\n    token\n    refreshToken\n  }\n}\n\nmutation Login($input: LoginInput!) {\n  login(input: $input) {\n    ...Begun\n  }\n}\n\nmutation SwitchOrganization($id: UUID!) {\n  organizationSwitch(id: $id) {\n    ...Begun\n  }\n}\n\nfragment Begun on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}\n\nmutation Logout {\n  logout\n}\n\nquery Me {\n  me {\n    id\n    email\n    name\n    role\n    avatar\n    emailVerified\n  }\n  organization {\n    id\n    name\n    logo\n    projects {\n      id\n      name\n      applications {\n        id\n        name\n        platform\n        timeZone\n      }\n    }\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;