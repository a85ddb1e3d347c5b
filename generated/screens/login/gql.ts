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
    "mutation LoginHere($input: LoginInput!) {\n  login(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation Signup($input: RegistrationUserInput!) {\n  signup(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation ResetPassword($input: ResetPasswordInput!) {\n  resetPassword(input: $input)\n}\n\nmutation UpdatePassword($input: UpdatePasswordInput!) {\n  updatePassword(input: $input)\n}\n\nmutation ConfirmEmail($token: String!) {\n  emailConfirm(token: $token)\n}\n\nmutation CreateOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation AcceptInvitation($token: String!, $challenge: String) {\n  invitationAccept(token: $token, challenge: $challenge) {\n    ...BegunHere\n  }\n}\n\nquery WhoAmI {\n  me {\n    email\n  }\n  organization {\n    name\n  }\n}\n\nfragment BegunHere on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}": typeof types.LoginHereDocument,
};
const documents: Documents = {
    "mutation LoginHere($input: LoginInput!) {\n  login(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation Signup($input: RegistrationUserInput!) {\n  signup(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation ResetPassword($input: ResetPasswordInput!) {\n  resetPassword(input: $input)\n}\n\nmutation UpdatePassword($input: UpdatePasswordInput!) {\n  updatePassword(input: $input)\n}\n\nmutation ConfirmEmail($token: String!) {\n  emailConfirm(token: $token)\n}\n\nmutation CreateOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation AcceptInvitation($token: String!, $challenge: String) {\n  invitationAccept(token: $token, challenge: $challenge) {\n    ...BegunHere\n  }\n}\n\nquery WhoAmI {\n  me {\n    email\n  }\n  organization {\n    name\n  }\n}\n\nfragment BegunHere on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}": types.LoginHereDocument,
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
export function graphql(source: "mutation LoginHere($input: LoginInput!) {\n  login(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation Signup($input: RegistrationUserInput!) {\n  signup(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation ResetPassword($input: ResetPasswordInput!) {\n  resetPassword(input: $input)\n}\n\nmutation UpdatePassword($input: UpdatePasswordInput!) {\n  updatePassword(input: $input)\n}\n\nmutation ConfirmEmail($token: String!) {\n  emailConfirm(token: $token)\n}\n\nmutation CreateOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation AcceptInvitation($token: String!, $challenge: String) {\n  invitationAccept(token: $token, challenge: $challenge) {\n    ...BegunHere\n  }\n}\n\nquery WhoAmI {\n  me {\n    email\n  }\n  organization {\n    name\n  }\n}\n\nfragment BegunHere on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}"): (typeof documents)["mutation LoginHere($input: LoginInput!) {\n  login(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation Signup($input: RegistrationUserInput!) {\n  signup(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation ResetPassword($input: ResetPasswordInput!) {\n  resetPassword(input: $input)\n}\n\nmutation UpdatePassword($input: UpdatePasswordInput!) {\n  updatePassword(input: $input)\n}\n\nmutation ConfirmEmail($token: String!) {\n  emailConfirm(token: $token)\n}\n\nmutation CreateOrganization($input: OrganizationCreateInput!) {\n  organizationCreate(input: $input) {\n    ...BegunHere\n  }\n}\n\nmutation AcceptInvitation($token: String!, $challenge: String) {\n  invitationAccept(token: $token, challenge: $challenge) {\n    ...BegunHere\n  }\n}\n\nquery WhoAmI {\n  me {\n    email\n  }\n  organization {\n    name\n  }\n}\n\nfragment BegunHere on AuthPayload {\n  token\n  refreshToken\n  user {\n    id\n  }\n  organization {\n    id\n  }\n}"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;