// Gives all screens the session of this tab and a client with an empty cache for each login.
import { createContext, useContext, useMemo, useSyncExternalStore, type ReactNode } from 'react';
import { Provider } from 'urql';
import { RefreshDocument } from '../../../generated/screens/session/graphql.ts';
import { createClient } from '../api/client.ts';
import { post } from '../api/post.ts';
import { Session, type SessionState } from './session.ts';

const session = new Session(async (token) => (await post(RefreshDocument, { token })).refreshToken);

const subscribe = (listener: () => void) => session.subscribe(listener);

const SessionContext = createContext<Session>(session);
export const useSession = (): Session => useContext(SessionContext);

export function useSessionState(): SessionState {
  return useSyncExternalStore(subscribe, () => session.state);
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const isOut = useSessionState() === 'out';
  // A new client once nobody is logged in: the next user finds nothing of the last one's in its cache.
  const client = useMemo(() => createClient(session), [isOut]);
  return (
    <SessionContext value={session}>
      <Provider value={client}>{children}</Provider>
    </SessionContext>
  );
}
