/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The input of `applicationEdit`. In an edit absent fields stay as they are. */
export type ApplicationEditInput = {
  /** The bundle or package identifier, by the rules of names ("Limits"). Required for a new application. Null is refused. */
  bundleId?: string | null | undefined;
  /** Who holds a purchase that uploads by several external ids have brought. Null sets it to `KEEP`. */
  entitlementPolicy?: EntitlementPolicy | null | undefined;
  /** The application to edit. Null or absent: a new application. */
  id?: string | null | undefined;
  /** The picture, at most 2,048 characters. Null or an empty text clears it (`Application.image` is then empty). */
  image?: string | null | undefined;
  /** The name, 1 to 256 characters, not blank. Required for a new application. Null is refused. */
  name?: string | null | undefined;
  /** `iOS` or `Android`. Required for a new application. Null is refused. */
  platform?: string | null | undefined;
  /** The project. Required for a new application. In an edit it moves the application to this project. Null is refused. */
  projectId?: string | null | undefined;
  /**
   * The devices of testers: at most 100 different ids, each 1 to 256 characters, not blank, taken as they are. The list
   * replaces the one before. Null or an empty list: none.
   */
  testDevices?: Array<string> | null | undefined;
  /**
   * A name of the IANA time zone database, for example `Europe/Berlin`, in upper or lower case. At most 64 characters. The
   * service stores it in the spelling of that database, and an alias (`Asia/Calcutta`) as the alias. Null sets it to `UTC`.
   */
  timeZone?: string | null | undefined;
};

/** Who holds a line with an owner that uploads by another `external_id` bring too ("Owners", at `Entitlement`). */
export type EntitlementPolicy =
  /** The owner's devices hold it, and no others. */
  | 'KEEP'
  /**
   * All of them hold it. That is on purpose, also for a stranger who has learned the id of the transaction: choose it only
   * where an app wants that. Where an account token names the owner, they hold it beside the owner.
   */
  | 'SHARE'
  /**
   * The `external_id` of the latest upload takes it, and everybody else loses it. Where an account token names the owner, it
   * stays the owner's.
   */
  | 'TRANSFER';

/** The input of `projectEdit`. In an edit absent fields stay as they are. */
export type ProjectEditInput = {
  /** The project to edit. Null or absent: a new project. */
  id?: string | null | undefined;
  /** The picture, at most 2,048 characters. Null or an empty text clears it. */
  image?: string | null | undefined;
  /** The name, 1 to 256 characters, not blank. Required for a new project. Null is refused. */
  name?: string | null | undefined;
};

export type ApplicationsListQueryVariables = Exact<{ [key: string]: never; }>;


export type ApplicationsListQuery = { projects: Array<{ id: string, name: string, applications: Array<{ id: string, name: string, bundleId: string, platform: string, timeZone: string, createdAt: string }> | null }> };

export type ApplicationSettingsQueryVariables = Exact<{ [key: string]: never; }>;


export type ApplicationSettingsQuery = { projects: Array<{ id: string, name: string, applications: Array<{ id: string, name: string, bundleId: string, platform: string, timeZone: string, entitlementPolicy: EntitlementPolicy, testDevices: Array<string>, createdAt: string }> | null }> };

export type ProjectSaveMutationVariables = Exact<{
  input: ProjectEditInput;
}>;


export type ProjectSaveMutation = { projectEdit: { id: string, name: string } };

export type ProjectDeleteMutationVariables = Exact<{
  id: string;
}>;


export type ProjectDeleteMutation = { projectDelete: boolean };

export type ApplicationSaveMutationVariables = Exact<{
  input: ApplicationEditInput;
}>;


export type ApplicationSaveMutation = { applicationEdit: { id: string, name: string, project: { id: string } } };

export type ApplicationDeleteMutationVariables = Exact<{
  id: string;
}>;


export type ApplicationDeleteMutation = { applicationDelete: boolean };


export const ApplicationsListDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ApplicationsList"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projects"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"applications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"bundleId"}},{"kind":"Field","name":{"kind":"Name","value":"platform"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]}}]}}]} as unknown as DocumentNode<ApplicationsListQuery, ApplicationsListQueryVariables>;
export const ApplicationSettingsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"ApplicationSettings"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projects"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"applications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"bundleId"}},{"kind":"Field","name":{"kind":"Name","value":"platform"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}},{"kind":"Field","name":{"kind":"Name","value":"entitlementPolicy"}},{"kind":"Field","name":{"kind":"Name","value":"testDevices"}},{"kind":"Field","name":{"kind":"Name","value":"createdAt"}}]}}]}}]}}]} as unknown as DocumentNode<ApplicationSettingsQuery, ApplicationSettingsQueryVariables>;
export const ProjectSaveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ProjectSave"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProjectEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projectEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}}]}}]}}]} as unknown as DocumentNode<ProjectSaveMutation, ProjectSaveMutationVariables>;
export const ProjectDeleteDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ProjectDelete"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"projectDelete"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}]}]}}]} as unknown as DocumentNode<ProjectDeleteMutation, ProjectDeleteMutationVariables>;
export const ApplicationSaveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ApplicationSave"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ApplicationEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"name"}},{"kind":"Field","name":{"kind":"Name","value":"project"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]}}]} as unknown as DocumentNode<ApplicationSaveMutation, ApplicationSaveMutationVariables>;
export const ApplicationDeleteDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"ApplicationDelete"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"id"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applicationDelete"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"id"},"value":{"kind":"Variable","name":{"kind":"Name","value":"id"}}}]}]}}]} as unknown as DocumentNode<ApplicationDeleteMutation, ApplicationDeleteMutationVariables>;