// A dashboard's client: sends typed documents, whichever generator typed them, and answers with their typed data.
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
import { print, type DocumentNode } from 'graphql';
import { askAdmin, type AdminAnswer } from './adminClient.ts';

/** What generators of documents agree on: the parsed document, and its types in a property that is never there. */
export type TypedDocument<Data, Variables> = DocumentNode & DocumentTypeDecoration<Data, Variables>;

export interface DashboardClient {
  /** The data; throws when there is an error. */
  ask: <Data, Variables>(document: TypedDocument<Data, Variables>, variables: Variables) => Promise<Data>;
  /** For what is to be refused: the codes. */
  refusal: <Data, Variables>(
    document: TypedDocument<Data, Variables>,
    variables: Variables,
  ) => Promise<Pick<AdminAnswer, 'status' | 'codes'>>;
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
