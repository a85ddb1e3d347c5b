// The client of the admin API: documents with a cache, the bearer, and a refresh where the token is old.
import { stringifyDocument, type TypedDocumentNode } from '@urql/core';
import { authExchange } from '@urql/exchange-auth';
import { cacheExchange, Client, fetchExchange, mapExchange, type CombinedError } from 'urql';
import type { Session } from '../session/session.ts';
import { ApiError, errorFrom } from './apiError.ts';

export function createClient(session: Session): Client {
  return new Client({
    url: endpoint,
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    exchanges: [
      mapExchange({
        onError: ({ graphQLErrors }) => {
          if (graphQLErrors.some(({ extensions }) => extensions['code'] === 'FORBIDDEN')) tellForbidden();
        },
      }),
      cacheExchange,
      authExchange(async (utils) => ({
        addAuthToOperation: (operation) =>
          session.token === null
            ? operation
            : utils.appendHeaders(operation, { Authorization: `Bearer ${session.token}` }),
        // In front of the login there is no token to refresh.
        willAuthError: () => session.isBegun() && session.isTokenOld(),
        didAuthError: (error: CombinedError) =>
          session.isBegun() && error.graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHENTICATED'),
        // While the session is over, requests wait here until somebody has logged in again: nothing typed is lost.
        refreshAuth: () => session.refresh(),
      })),
      fetchExchange,
    ],
  });
}

// One request to the admin API without cache and without refresh: what logs in, and what refreshes.

export const endpoint = '/admin/graphql/';

/** Throws an `ApiError`. */
export async function post<Data, Variables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
  token: string | null = null,
): Promise<Data> {
  const headers = { 'Content-Type': 'application/json', ...(token !== null && { Authorization: `Bearer ${token}` }) };
  const body = JSON.stringify({ query: stringifyDocument(document), variables });
  const response = await fetch(endpoint, { method: 'POST', headers, body }).catch(() => null);
  const said = (await response?.json().catch(() => null)) as { data?: Data; errors?: { message: string }[] } | null;
  if (!response || !said) throw new ApiError('The service gave no response.', 'NO_RESPONSE');
  const [first] = said.errors ?? [];
  if (first) throw errorFrom(first, response.headers.get('X-Request-Id'));
  return said.data as Data;
}

const target = new EventTarget();
const kind = 'forbidden';

/** Tells the shell that the service has refused something for the user's role, which somebody may have changed meanwhile. */
export const tellForbidden = (): void => void target.dispatchEvent(new Event(kind));

export function onForbidden(listener: () => void): () => void {
  target.addEventListener(kind, listener);
  return () => target.removeEventListener(kind, listener);
}
