// Asks for the password again above the page when its session has ended: what was typed below stays.
import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { LoginDocument, SwitchOrganizationDocument } from '../../../generated/screens/session/graphql.ts';
import { ApiError } from '../api/apiError.ts';
import { post } from '../api/post.ts';
import { ErrorState } from '../parts/states.tsx';
import { lastUser } from './lastUser.ts';
import type { Begun } from './sessionTabs.ts';
import { useSession } from './SessionProvider.tsx';

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
