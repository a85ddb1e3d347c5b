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
    "mutation EditProfile($input: UserEditInput!) {\n  userEdit(input: $input) {\n    id\n    name\n    avatar\n  }\n}\n\nmutation ChangePassword($input: PasswordChangeInput!) {\n  passwordChange(input: $input)\n}\n\nmutation ChangeEmail($input: EmailChangeInput!) {\n  emailChange(input: $input)\n}\n\nquery Sessions {\n  sessions {\n    id\n    createdAt\n    lastUsedAt\n    userAgent\n    address\n    current\n  }\n}\n\nmutation EndSession($id: UUID!) {\n  sessionRevoke(id: $id)\n}\n\nmutation EndOtherSessions {\n  logoutEverywhere\n}\n\nquery Organizations {\n  organizations {\n    id\n    name\n  }\n}\n\nmutation FoundOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    token\n    refreshToken\n    user {\n      id\n    }\n    organization {\n      id\n    }\n  }\n}\n\nmutation LeaveOrganization {\n  organizationLeave\n}\n\nmutation DeleteAccount($password: String!) {\n  accountDelete(password: $password)\n}": typeof types.EditProfileDocument,
};
const documents: Documents = {
    "mutation EditProfile($input: UserEditInput!) {\n  userEdit(input: $input) {\n    id\n    name\n    avatar\n  }\n}\n\nmutation ChangePassword($input: PasswordChangeInput!) {\n  passwordChange(input: $input)\n}\n\nmutation ChangeEmail($input: EmailChangeInput!) {\n  emailChange(input: $input)\n}\n\nquery Sessions {\n  sessions {\n    id\n    createdAt\n    lastUsedAt\n    userAgent\n    address\n    current\n  }\n}\n\nmutation EndSession($id: UUID!) {\n  sessionRevoke(id: $id)\n}\n\nmutation EndOtherSessions {\n  logoutEverywhere\n}\n\nquery Organizations {\n  organizations {\n    id\n    name\n  }\n}\n\nmutation FoundOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    token\n    refreshToken\n    user {\n      id\n    }\n    organization {\n      id\n    }\n  }\n}\n\nmutation LeaveOrganization {\n  organizationLeave\n}\n\nmutation DeleteAccount($password: String!) {\n  accountDelete(password: $password)\n}": types.EditProfileDocument,
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
export function graphql(source: "mutation EditProfile($input: UserEditInput!) {\n  userEdit(input: $input) {\n    id\n    name\n    avatar\n  }\n}\n\nmutation ChangePassword($input: PasswordChangeInput!) {\n  passwordChange(input: $input)\n}\n\nmutation ChangeEmail($input: EmailChangeInput!) {\n  emailChange(input: $input)\n}\n\nquery Sessions {\n  sessions {\n    id\n    createdAt\n    lastUsedAt\n    userAgent\n    address\n    current\n  }\n}\n\nmutation EndSession($id: UUID!) {\n  sessionRevoke(id: $id)\n}\n\nmutation EndOtherSessions {\n  logoutEverywhere\n}\n\nquery Organizations {\n  organizations {\n    id\n    name\n  }\n}\n\nmutation FoundOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    token\n    refreshToken\n    user {\n      id\n    }\n    organization {\n      id\n    }\n  }\n}\n\nmutation LeaveOrganization {\n  organizationLeave\n}\n\nmutation DeleteAccount($password: String!) {\n  accountDelete(password: $password)\n}"): (typeof documents)["mutation EditProfile($input: UserEditInput!) {\n  userEdit(input: $input) {\n    id\n    name\n    avatar\n  }\n}\n\nmutation ChangePassword($input: PasswordChangeInput!) {\n  passwordChange(input: $input)\n}\n\nmutation ChangeEmail($input: EmailChangeInput!) {\n  emailChange(input: $input)\n}\n\nquery Sessions {\n  sessions {\n    id\n    createdAt\n    lastUsedAt\n    userAgent\n    address\n    current\n  }\n}\n\nmutation EndSession($id: UUID!) {\n  sessionRevoke(id: $id)\n}\n\nmutation EndOtherSessions {\n  logoutEverywhere\n}\n\nquery Organizations {\n  organizations {\n    id\n    name\n  }\n}\n\nmutation FoundOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    token\n    refreshToken\n    user {\n      id\n    }\n    organization {\n      id\n    }\n  }\n}\n\nmutation LeaveOrganization {\n  organizationLeave\n}\n\nmutation DeleteAccount($password: String!) {\n  accountDelete(password: $password)\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;