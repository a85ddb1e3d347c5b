/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The input of `userEdit`. Absent fields stay as they are. */
export type UserEditInput = {
  /** The caller's new picture, at most 2,048 characters. Null or an empty text clears it. Not for another user. */
  avatar?: string | null | undefined;
  /**
   * The e-mail address of a user of the caller's organization. Null or absent: the caller. It decides whether `name` and
   * `avatar` may be given.
   */
  email?: string | null | undefined;
  /** The caller's new name, 1 to 256 characters, not blank. Null is refused. Not for another user. */
  name?: string | null | undefined;
  /** `owner`, `admin`, `editor` or `viewer`. Null is refused. */
  role?: string | null | undefined;
  /** `active` or `disabled`, see the table at `Mutation.userEdit`. Null is refused. */
  status?: string | null | undefined;
};

/** The input of `userInvite`. */
export type UserInviteInput = {
  /** The address to which the invitation goes, at most 254 characters. */
  email: string;
  /**
   * The name, 1 to 256 characters, not blank. An account that has none takes it when the invitation is accepted. Null or
   * absent: no name. In a further invitation an absent name keeps the stored name.
   */
  name?: string | null | undefined;
  /** `owner`, `admin`, `editor` or `viewer`. */
  role: string;
};

export type TeamQueryVariables = Exact<{ [key: string]: never; }>;


export type TeamQuery = { organization: { id: string, users: Array<{ id: string | null, email: string | null, name: string | null, role: string | null, status: string | null, emailVerified: boolean | null, lastLoginAt: string | null, invitationExpiresAt: string | null }> | null } };

export type InviteMemberMutationVariables = Exact<{
  input: UserInviteInput;
}>;


export type InviteMemberMutation = { userInvite: { email: string | null, status: string | null, invitationExpiresAt: string | null } };

export type EditMemberMutationVariables = Exact<{
  input: UserEditInput;
}>;


export type EditMemberMutation = { userEdit: { email: string | null, role: string | null, status: string | null } };

export type RemoveMemberMutationVariables = Exact<{
  email: string;
}>;


export type RemoveMemberMutation = { userRemove: boolean };


export const TeamDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Team"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"organization"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"users"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"emailVerified"}},{"kind":"Field","name":{"kind":"Name","value":"lastLoginAt"}},{"kind":"Field","name":{"kind":"Name","value":"invitationExpiresAt"}}]}}]}}]}}]} as unknown as DocumentNode<TeamQuery, TeamQueryVariables>;
export const InviteMemberDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"InviteMember"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UserInviteInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"userInvite"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"invitationExpiresAt"}}]}}]}}]} as unknown as DocumentNode<InviteMemberMutation, InviteMemberMutationVariables>;
export const EditMemberDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"EditMember"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UserEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"userEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"role"}},{"kind":"Field","name":{"kind":"Name","value":"status"}}]}}]}}]} as unknown as DocumentNode<EditMemberMutation, EditMemberMutationVariables>;
export const RemoveMemberDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"RemoveMember"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"email"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"userRemove"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"email"},"value":{"kind":"Variable","name":{"kind":"Name","value":"email"}}}]}]}}]} as unknown as DocumentNode<RemoveMemberMutation, RemoveMemberMutationVariables>;