// Logs in and accepts an invitation in one step, also with an account that belongs to no organization.
import { PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { AcceptInvitationDocument, LoginHereDocument } from '../../../../generated/screens/login/graphql.ts';
import { ApiError } from '../../api/apiError.ts';
import { post } from '../../api/post.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useSession } from '../../session/SessionProvider.tsx';
import type { Begun } from '../../session/sessionTabs.ts';
import { InvitationProblem } from './InvitationProblem.tsx';

interface Credentials {
  email: string;
  password: string;
}

/** Throws an `ApiError`. */
async function joinWith(input: Credentials, token: string): Promise<Begun> {
  const accept = async (challenge: string | null, bearer: string | null): Promise<Begun> =>
    (await post(AcceptInvitationDocument, { token, challenge }, bearer)).invitationAccept;
  const login = await post(LoginHereDocument, { input }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 'NO_ORGANIZATION') return String(error.extensions['challenge']);
    throw error;
  });
  return typeof login === 'string' ? await accept(login, null) : await accept(null, login.login.token);
}

export function JoinByLogin({ token }: { token: string }) {
  const session = useSession();
  const [input, setInput] = useState<Credentials>({ email: '', password: '' });
  const [sending, setSending] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const join = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setError(null);
    setSending(true);
    try {
      session.begin(await joinWith(input, token));
      // Nothing of somebody who was logged in before stays on the page.
      location.assign('/admin/');
    } catch (problem) {
      setError(problem as ApiError);
      setSending(false);
    }
  };
  return (
    <form onSubmit={(event) => void join(event)} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          For an account at the address of the invitation. Its password and its other organizations stay.
        </Text>
        <TextInput
          label="E-mail address"
          type="email"
          autoComplete="username"
          value={input.email}
          onChange={({ target }) => setInput({ ...input, email: target.value })}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          value={input.password}
          onChange={({ target }) => setInput({ ...input, password: target.value })}
        />
        <InvitationProblem error={error} />
        <FormFoot error={error?.code === 'INVALID_TOKEN' ? null : error} sending={sending} label="Log in and join" />
      </Stack>
    </form>
  );
}
