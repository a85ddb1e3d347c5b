// The client of the admin API: documents with a cache, the bearer, and a refresh where the token is old.
import { cacheExchange, Client, fetchExchange, mapExchange, type CombinedError } from 'urql';
import { authExchange } from '@urql/exchange-auth';
import type { Session } from '../session/session.ts';
import { tellForbidden } from './forbidden.ts';
import { endpoint } from './post.ts';

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
