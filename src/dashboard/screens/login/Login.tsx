// Logs in, and lets an account without an organization make one.
import { Anchor, Group, PasswordInput, Stack, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { z } from 'zod';
import { LoginHereDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { useSession, useSessionState } from '../../session/SessionProvider.tsx';
import { CreateOrganization } from './CreateOrganization.tsx';
import { Door } from './Door.tsx';

const schema = z.object({
  email: z.string().trim().min(1, 'Enter your e-mail address.'),
  password: z.string().min(1, 'Enter your password.'),
});

/** Back to the page that asked for the login; only a path of this page. */
function useGoOn(): () => void {
  const { next } = useSearch({ from: '/login' });
  const navigate = useNavigate();
  const href = next?.startsWith('/') && !next.startsWith('//') ? next : '/';
  return useCallback(() => void navigate({ href, replace: true }), [href, navigate]);
}

export function Login() {
  const session = useSession();
  const goOn = useGoOn();
  const state = useSessionState();
  // Logged in by another tab, too.
  useEffect(() => {
    if (state === 'in') goOn();
  }, [state, goOn]);
  const { form, submit, sending, error } = useApiForm({
    initial: { email: '', password: '' },
    schema,
    document: LoginHereDocument,
    variables: (input) => ({ input }),
    done: ({ login }) => session.begin(login),
  });
  const [passed, setPassed] = useState<string | null>(null);
  const challenge = error?.code === 'NO_ORGANIZATION' ? String(error.extensions['challenge']) : null;
  if (challenge !== null && challenge !== passed)
    return <CreateOrganization challenge={challenge} back={() => setPassed(challenge)} />;
  return (
    <Door title="Log in">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="E-mail address" type="email" autoComplete="username" {...form.getInputProps('email')} />
          <PasswordInput label="Password" autoComplete="current-password" {...form.getInputProps('password')} />
          <FormFoot error={challenge === null ? error : null} sending={sending} label="Log in" />
        </Stack>
      </form>
      <Group justify="space-between">
        <Anchor component={Link} to="/forgot-password" size="sm">
          Forgot your password?
        </Anchor>
        <Anchor component={Link} to="/signup" size="sm">
          Sign up
        </Anchor>
      </Group>
    </Door>
  );
}
