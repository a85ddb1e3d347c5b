// A dashboard's client: sends typed documents of any generator and returns their typed data.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
import { print, type DocumentNode } from 'graphql';
import { askAdmin, type AdminResponse } from './adminClient.ts';

/**
 * The common part of all document generators: the parsed document, and its types in a property that never exists at run
 * time.
 */
export type TypedDocument<Data, Variables> = DocumentNode & DocumentTypeDecoration<Data, Variables>;

export interface DashboardClient {
  /** Returns the data; throws on an error. */
  ask: <Data, Variables>(document: TypedDocument<Data, Variables>, variables: Variables) => Promise<Data>;
  /** Returns the codes of a refused operation. */
  refusal: <Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
  ) => Promise<Pick<AdminResponse, 'status' | 'codes'>>;
  /** The same client with another token. */
  as: (token: string) => DashboardClient;
}

export function dashboardClient(url: string, token: string | null = null): DashboardClient {
  const send = <Data, Variables>(document: TypedDocument<Data, Variables>, variables: Variables) =>
    askAdmin(url, { query: print(document), variables: variables as Record<string, unknown>, token });
  return {
    async ask<Data, Variables>(document: TypedDocument<Data, Variables>, variables: Variables) {
      const { data, errors } = await send(document, variables);
      if (errors.length > 0) throw new Error(JSON.stringify(errors));
      return data as Data;
    },
    async refusal(document, variables) {
      const { status, codes } = await send(document, variables);
      return { status, codes };
    },
    as: (other) => dashboardClient(url, other),
  };
}
