/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/** The length of the points of a report. */
export type ReportInterval =
  /** Calendar days. */
  | 'DAY'
  /** Calendar months. */
  | 'MONTH'
  /** Weeks from Monday. */
  | 'WEEK';

/** By what `revenue` breaks down. */
export type RevenueBreakdown =
  /** By the country of the storefront. */
  | 'COUNTRY'
  /** By nothing. */
  | 'NONE'
  /** By the platform of the device that first brought the line. */
  | 'PLATFORM'
  /** By the store's product id. */
  | 'PRODUCT';

/** The input of `revenue`. */
export type RevenueInput = {
  /** The application. */
  applicationId: string;
  /** By what it is broken down. Null: `NONE`. */
  breakdown?: RevenueBreakdown | null | undefined;
  /** An ISO 4217 code, three capital letters, for example `EUR`. */
  currency: string;
  /** The first day. */
  from: string;
  /** Whether purchases in the sandbox count too. Null: false. */
  includeTest?: boolean | null | undefined;
  /** The length of the points. Null: `DAY`. */
  interval?: ReportInterval | null | undefined;
  /**
   * The time zone of the days: a name of the IANA time zone database, at most 64 characters. Null or absent: the
   * application's.
   */
  timeZone?: string | null | undefined;
  /** The last day, not before `from`. At most 731 days with `from`. */
  to: string;
};

export type RevenueCurrenciesQueryVariables = Exact<{
  applicationId: string;
  includeTest?: boolean | null | undefined;
}>;


export type RevenueCurrenciesQuery = { revenueCurrencies: Array<string> | null };

export type RevenueQueryVariables = Exact<{
  asked: RevenueInput;
  before: RevenueInput;
}>;


export type RevenueQuery = { revenue: { asOf: string, points: Array<{ start: string, complete: boolean, gross: string, refunds: string, purchases: number, payers: number, renewals: number }>, totals: { gross: string, refunds: string, purchases: number, payers: number, renewals: number }, breakdown: Array<{ value: string | null, isOther: boolean, points: Array<{ start: string, gross: string, refunds: string, purchases: number, payers: number, renewals: number }> }> | null } | null, before: { points: Array<{ start: string, gross: string, refunds: string, purchases: number, payers: number, renewals: number }>, totals: { gross: string, refunds: string, purchases: number, payers: number, renewals: number } } | null };

export type FiguresFragment = { gross: string, refunds: string, purchases: number, payers: number, renewals: number };

export const FiguresFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Figures"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"RevenuePoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"gross"}},{"kind":"Field","name":{"kind":"Name","value":"refunds"}},{"kind":"Field","name":{"kind":"Name","value":"purchases"}},{"kind":"Field","name":{"kind":"Name","value":"payers"}},{"kind":"Field","name":{"kind":"Name","value":"renewals"}}]}}]} as unknown as DocumentNode<FiguresFragment, unknown>;
export const RevenueCurrenciesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"RevenueCurrencies"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"UUID"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"includeTest"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"revenueCurrencies"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"applicationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"applicationId"}}},{"kind":"Argument","name":{"kind":"Name","value":"includeTest"},"value":{"kind":"Variable","name":{"kind":"Name","value":"includeTest"}}}]}]}}]} as unknown as DocumentNode<RevenueCurrenciesQuery, RevenueCurrenciesQueryVariables>;
export const RevenueDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"Revenue"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"asked"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RevenueInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"before"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"RevenueInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"revenue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"asked"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"complete"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"Figures"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totals"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"gross"}},{"kind":"Field","name":{"kind":"Name","value":"refunds"}},{"kind":"Field","name":{"kind":"Name","value":"purchases"}},{"kind":"Field","name":{"kind":"Name","value":"payers"}},{"kind":"Field","name":{"kind":"Name","value":"renewals"}}]}},{"kind":"Field","name":{"kind":"Name","value":"breakdown"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"value"}},{"kind":"Field","name":{"kind":"Name","value":"isOther"}},{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"Figures"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"asOf"}}]}},{"kind":"Field","alias":{"kind":"Name","value":"before"},"name":{"kind":"Name","value":"revenue"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"input"},"value":{"kind":"Variable","name":{"kind":"Name","value":"before"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"points"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"FragmentSpread","name":{"kind":"Name","value":"Figures"}}]}},{"kind":"Field","name":{"kind":"Name","value":"totals"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"gross"}},{"kind":"Field","name":{"kind":"Name","value":"refunds"}},{"kind":"Field","name":{"kind":"Name","value":"purchases"}},{"kind":"Field","name":{"kind":"Name","value":"payers"}},{"kind":"Field","name":{"kind":"Name","value":"renewals"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"Figures"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"RevenuePoint"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"gross"}},{"kind":"Field","name":{"kind":"Name","value":"refunds"}},{"kind":"Field","name":{"kind":"Name","value":"purchases"}},{"kind":"Field","name":{"kind":"Name","value":"payers"}},{"kind":"Field","name":{"kind":"Name","value":"renewals"}}]}}]} as unknown as DocumentNode<RevenueQuery, RevenueQueryVariables>;