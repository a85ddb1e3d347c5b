// Gives all screens the session of this tab and a client with an empty cache for each login.
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type FormEvent,
  type ReactNode,
} from 'react';
import { Provider } from 'urql';
import {
  LoginDocument,
  RefreshDocument,
  SwitchOrganizationDocument,
} from '../../../generated/screens/session/graphql.ts';
import { ApiError } from '../api/apiError.ts';
import { createClient, post } from '../api/client.ts';
import { ErrorState, Loading } from '../parts/states.tsx';
import { lastUser, Session, type Begun, type SessionState } from './session.ts';

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

/** Lets only logged-in users further. When a session ends on the page, the page stays and asks for the password above it. */
export function Guard({ children }: { children: ReactNode }) {
  const state = useSessionState();
  if (state === 'starting') return <Loading />;
  if (state === 'out') return <ToLogin />;
  return (
    <>
      {children}
      {state === 'over' && <LoginAgain />}
    </>
  );
}

function ToLogin() {
  const { href } = useLocation();
  const navigate = useNavigate();
  // The first address alone: until the login page has loaded, this part sees the address of the login page as its own.
  const [next] = useState(href);
  useEffect(() => {
    void navigate({ to: '/login', search: next === '/' ? {} : { next }, replace: true });
  }, [navigate, next]);
  return <Loading />;
}

interface Credentials {
  email: string;
  password: string;
}

/** In the organization of the page, although a login begins where the user was last. Throws an `ApiError`. */
async function loginHere(input: Credentials): Promise<Begun> {
  const { login } = await post(LoginDocument, { input });
  const id = lastUser.organizationId;
  if (id === null || id === login.organization.id || login.user.id !== lastUser.id) return login;
  const switched = await post(SwitchOrganizationDocument, { id }, login.token).catch(() => null);
  return switched?.organizationSwitch ?? login;
}

// An Escape here must not close a dialog of the page below, which may hold a half-filled form.
const keepsEscape = { 'data-mantine-stop-propagation': true };

/** Asks for the password again above the page when its session has ended: what was typed below stays. */
export function LoginAgain() {
  const session = useSession();
  const [input, setInput] = useState<Credentials>({ email: lastUser.email ?? '', password: '' });
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const login = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setError(null);
    setSending(true);
    try {
      const begun = await loginHere(input);
      const isSame = begun.user.id === lastUser.id && begun.organization.id === lastUser.organizationId;
      session.begin(begun);
      // Another user, or one who has left this organization, must not go on with what was typed and seen here.
      if (!isSame) location.assign('/admin/');
    } catch (problem) {
      setError(problem as ApiError);
    } finally {
      setSending(false);
    }
  };
  return (
    <Modal
      opened
      onClose={() => undefined}
      title="Log in again"
      zIndex={400}
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <form onSubmit={(event) => void login(event)} {...keepsEscape}>
        <Stack gap="sm">
          <Text size="sm">Your login has ended. Nothing on this page is lost: it goes on after your login.</Text>
          <TextInput
            label="E-mail address"
            type="email"
            autoComplete="username"
            value={input.email}
            onChange={({ target }) => setInput({ ...input, email: target.value })}
            {...keepsEscape}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            value={input.password}
            onChange={({ target }) => setInput({ ...input, password: target.value })}
            {...keepsEscape}
          />
          {error && <ErrorState error={error} />}
          <Group justify="space-between">
            <Button type="submit" loading={sending} {...keepsEscape}>
              Log in
            </Button>
            <Button variant="subtle" onClick={() => session.end()} {...keepsEscape}>
              Leave this page
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
