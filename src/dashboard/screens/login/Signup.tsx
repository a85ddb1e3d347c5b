// Signs up a user with a new organization.
import { Alert, Anchor, PasswordInput, Stack, TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { SignupDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { useSession } from '../../session/SessionProvider.tsx';
import { Door } from './Door.tsx';

const schema = z.object({
  name: z.string().trim().min(1, 'Enter your name.').max(256),
  organization: z.string().trim().min(1, 'Enter a name.').max(256),
  email: z.string().trim().min(1, 'Enter your e-mail address.').max(254),
  password: z.string().min(8, 'A password has at least 8 characters.').max(256),
});

export function Signup() {
  const session = useSession();
  const navigate = useNavigate();
  const { form, submit, sending, error } = useApiForm({
    initial: { name: '', organization: '', email: '', password: '' },
    schema,
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
