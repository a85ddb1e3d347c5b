/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The kinds of product in the store. */
export type EntitlementKind =
  /** A subscription that renews by itself. */
  | 'AUTO_RENEWABLE'
  /** The user uses it up and can buy it again. */
  | 'CONSUMABLE'
  /** The user buys it once and keeps it for ever. */
  | 'NON_CONSUMABLE'
  /** A subscription for a fixed time. */
  | 'NON_RENEWING';

/** The input of `productEdit`. */
export type ProductEditInput = {
  /** The application that sells the product. */
  applicationId: string;
  /** How long the product lasts, 1 to 36,500 days of 24 hours. Null: the product does not end. Absent: as before. */
  durationDays?: number | null | undefined;
  /** The store's product identifier, 1 to 256 characters, not blank. */
  productId: string;
};

/**
 * The input of `storeCredentialsEdit`.
 *
 * ## Store credentials
 *
 * Give all of `issuerId`, `keyId` and `privateKey`, or none. All of them replace the credentials. None of them, and no
 * `bundleId`, clears the credentials. Anything between is `BAD_USER_INPUT` with the paths. Here null is the same as
 * absent. The service never returns any of the values.
 *
 * `storeAppId` is outside of this rule: absent leaves it as it is, and null clears it. An input with `storeAppId` and none of
 * the others changes only the number.
 */
export type StoreCredentialsEditInput = {
  /** The application whose transactions the credentials are for. */
  applicationId: string;
  /**
   * The bundle identifier to ask for, when it is not `Application.bundleId`. 1 to 256 characters. The service removes
   * white space around it.
   */
  bundleId?: string | null | undefined;
  /** The issuer's identifier as the store shows it, 1 to 256 characters. The service removes white space around it. */
  issuerId?: string | null | undefined;
  /** The key's identifier as the store shows it, 1 to 256 characters. The service removes white space around it. */
  keyId?: string | null | undefined;
  /**
   * The private key as the store gives it: a P-256 key in PKCS#8, PEM text from `-----BEGIN PRIVATE KEY-----` on, at most
   * 4,096 characters.
   */
  privateKey?: string | null | undefined;
  /**
   * The store's number of the app, 1 to 15 decimal digits. The service removes white space around it. With it, a notification of
   * the store from production must name this number. Without it, any number is accepted, and the bundle id is compared.
   */
  storeAppId?: string | null | undefined;
};

export type StoreStateQueryVariables = Exact<{ [key: string]: never; }>;


export type StoreStateQuery = { applications: Array<{ id: string, bundleId: string, platform: string, storeCredentialsSet: boolean, storeAppId: string | null }> };

export type StoreProductsQueryVariables = Exact<{
  applicationId: string;
}>;


export type StoreProductsQuery = { products: Array<{ productId: string, kind: EntitlementKind | null, durationDays: number | null }> };

export type StoreCredentialsSaveMutationVariables = Exact<{
  input: StoreCredentialsEditInput;
}>;


export type StoreCredentialsSaveMutation = { storeCredentialsEdit: boolean };

export type StoreProductSaveMutationVariables = Exact<{
  input: ProductEditInput;
}>;


export type StoreProductSaveMutation = { productEdit: { productId: string, kind: EntitlementKind | null, durationDays: number | null } };


export const StoreStateDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"StoreState"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"applications"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"bundleId"}},{"kind":"Field","name":{"kind":"Name","value":"platform"}},{"kind":"Field","name":{"kind":"Name","value":"storeCredentialsSet"}},{"kind":"Field","name":{"kind":"Name","value":"storeAppId"}}]}}]}}]} as unknown as DocumentNode<StoreStateQuery, StoreStateQueryVariables>;
export const StoreProductsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"StoreProducts"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"products"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productId"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"durationDays"}}]}}]}}]} as unknown as DocumentNode<StoreProductsQuery, StoreProductsQueryVariables>;
export const StoreCredentialsSaveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"StoreCredentialsSave"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"StoreCredentialsEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"storeCredentialsEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}]}]}}]} as unknown as DocumentNode<StoreCredentialsSaveMutation, StoreCredentialsSaveMutationVariables>;
export const StoreProductSaveDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"StoreProductSave"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"input"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ProductEditInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productEdit"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"input"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"productId"}},{"kind":"Field","name":{"kind":"Name","value":"kind"}},{"kind":"Field","name":{"kind":"Name","value":"durationDays"}}]}}]}}]} as unknown as DocumentNode<StoreProductSaveMutation, StoreProductSaveMutationVariables>;