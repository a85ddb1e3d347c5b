// A dashboard's client: sends the typed documents of test/dashboard, and answers with their typed data.
import type { TypedDocumentString } from '../../generated/dashboard/graphql.ts';
import { askAdmin, type AdminAnswer } from './adminClient.ts';

export interface DashboardClient {
  /** The data; throws when there is an error. */
  ask: <Data, Variables>(document: TypedDocumentString<Data, Variables>, variables: Variables) => Promise<Data>;
  /** For what is to be refused: the codes. */
  refusal: <Data, Variables>(
    document: TypedDocumentString<Data, Variables>,
    variables: Variables,
  ) => Promise<Pick<AdminAnswer, 'status' | 'codes'>>;
  /** The same client with another token. */
  as: (token: string) => DashboardClient;
}

export function dashboardClient(url: string, token: string | null = null): DashboardClient {
  const send = <Data, Variables>(document: TypedDocumentString<Data, Variables>, variables: Variables) =>
    askAdmin(url, { query: document.toString(), variables: variables as Record<string, unknown>, token });
  return {
    async ask<Data, Variables>(document: TypedDocumentString<Data, Variables>, variables: Variables) {
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
