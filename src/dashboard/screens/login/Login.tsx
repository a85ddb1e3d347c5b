// Logs in, and lets an account without an organization make one.
import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useState } from 'react';
import { z } from 'zod';
import {
  CreateOrganizationDocument,
  LoginHereDocument,
  ResetPasswordDocument,
  SignupDocument,
} from '../../../../generated/screens/login/graphql.ts';
import { Form, FormFoot, useApiForm } from '../../parts/form.tsx';
import { useSession, useSessionState } from '../../session/SessionProvider.tsx';
import { Door } from './Door.tsx';

const loginSchema = z.object({
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
    schema: loginSchema,
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

const organizationSchema = z.object({ name: z.string().trim().min(1, 'Enter a name.').max(256) });

/** What an account without an organization sees after its login: it makes one, or opens its invitation. */
function CreateOrganization({ challenge, back }: { challenge: string; back: () => void }) {
  const session = useSession();
  const { form, submit, sending, error } = useApiForm({
    initial: { name: '' },
    schema: organizationSchema,
    document: CreateOrganizationDocument,
    variables: ({ name }) => ({ input: { name, challenge } }),
    done: ({ organizationCreate }) => session.begin(organizationCreate),
  });
  return (
    <Door title="Create an organization">
      <Text size="sm">
        Your account belongs to no organization. Create one here within five minutes, or open the link of an invitation.
      </Text>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name of the organization" {...form.getInputProps('name')} />
          <FormFoot error={error} sending={sending} label="Create">
            <Button variant="default" onClick={back}>
              Back
            </Button>
          </FormFoot>
        </Stack>
      </form>
    </Door>
  );
}

const signupSchema = z.object({
  name: z.string().trim().min(1, 'Enter your name.').max(256),
  organization: z.string().trim().min(1, 'Enter a name.').max(256),
  email: z.string().trim().min(1, 'Enter your e-mail address.').max(254),
  password: z.string().min(8, 'A password has at least 8 characters.').max(256),
});

/** Signs up a user with a new organization. */
export function Signup() {
  const session = useSession();
  const navigate = useNavigate();
  const { form, submit, sending, error } = useApiForm({
    initial: { name: '', organization: '', email: '', password: '' },
    schema: signupSchema,
    document: SignupDocument,
    variables: (input) => ({ input }),
    done: ({ signup }) => {
      session.begin(signup);
      void navigate({ to: '/', replace: true });
    },
    codes: { CONFLICT: { field: 'email', message: 'This address has an account already. Log in instead.' } },
  });
  const isClosed = error?.code === 'FORBIDDEN';
  return (
    <Door title="Sign up">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Your name" autoComplete="name" {...form.getInputProps('name')} />
          <TextInput label="Organization" autoComplete="organization" {...form.getInputProps('organization')} />
          <TextInput label="E-mail address" type="email" autoComplete="username" {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            description="8 characters or more, and not a common password"
            autoComplete="new-password"
            {...form.getInputProps('password')}
          />
          {isClosed && (
            <Alert color="red" variant="light" role="alert" title="Nobody can sign up on this service.">
              Ask a member of your organization for an invitation, or ask an administrator of the service, who makes
              users with user:create.
            </Alert>
          )}
          <FormFoot error={isClosed ? null : error} sending={sending} label="Sign up" />
        </Stack>
      </form>
      <Anchor component={Link} to="/login" size="sm">
        Log in instead
      </Anchor>
    </Door>
  );
}

const addressSchema = z.object({ email: z.string().trim().min(1, 'Enter your e-mail address.') });

/** Asks for the mail with which a new password can be set. */
export function ForgotPassword() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { form, ...api } = useApiForm({
    initial: { email: '' },
    schema: addressSchema,
    document: ResetPasswordDocument,
    variables: (input) => ({ input }),
    done: (_, { email }) => setSentTo(email),
  });
  return (
    <Door title="Forgot your password?">
      {sentTo !== null ? (
        <Text size="sm" role="status">
          If {sentTo} has an account, a mail with a link is on its way to it. The link works once and for 30 minutes.
        </Text>
      ) : (
        <Form {...api} label="Send the mail">
          <TextInput label="E-mail address" type="email" autoComplete="username" {...form.getInputProps('email')} />
        </Form>
      )}
      <Anchor component={Link} to="/login" size="sm">
        Log in
      </Anchor>
    </Door>
  );
}
