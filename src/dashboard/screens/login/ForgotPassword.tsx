// Asks for the mail with which a new password can be set.
import { Anchor, Stack, Text, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod';
import { ResetPasswordDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Door } from './Door.tsx';

const schema = z.object({ email: z.string().trim().min(1, 'Enter your e-mail address.') });

export function ForgotPassword() {
  const [sentTo, setSentTo] = useState<string | null>(null);
  const { form, submit, sending, error } = useApiForm({
    initial: { email: '' },
    schema,
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
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <TextInput label="E-mail address" type="email" autoComplete="username" {...form.getInputProps('email')} />
            <FormFoot error={error} sending={sending} label="Send the mail" />
          </Stack>
        </form>
      )}
      <Anchor component={Link} to="/login" size="sm">
        Log in
      </Anchor>
    </Door>
  );
}
