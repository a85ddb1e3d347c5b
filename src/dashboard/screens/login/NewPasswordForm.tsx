// Sets a password with a mailed token, and leads to the login.
import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { UpdatePasswordDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { newPasswords, passwordsDiffer } from '../../session/newPasswords.ts';
import { InvitationProblem } from './InvitationProblem.tsx';

const schema = newPasswords.refine(...passwordsDiffer);

interface NewPasswordFormProps {
  token: string;
  kind: 'invitation' | 'reset';
  about: string;
  done: string;
}

export function NewPasswordForm({ token, kind, about, done }: NewPasswordFormProps) {
  const [isSet, setIsSet] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { newPassword: '', newPasswordRepeat: '' },
    schema,
    document: UpdatePasswordDocument,
    variables: (values) => ({ input: { ...values, token } }),
    done: () => setIsSet(true),
  });
  const invitationProblem = kind === 'invitation' && error?.code === 'INVALID_TOKEN';
  if (isSet)
    return (
      <Stack gap="sm" align="start">
        <Text size="sm" role="status">
          {done}
        </Text>
        <Button component={Link} to="/login">
          Log in
        </Button>
      </Stack>
    );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {about}
        </Text>
        <PasswordInput
          label="New password"
          description="8 characters or more, and not a common password"
          autoComplete="new-password"
          {...form.getInputProps('newPassword')}
        />
        <PasswordInput
          label="The same password again"
          autoComplete="new-password"
          {...form.getInputProps('newPasswordRepeat')}
        />
        {invitationProblem && <InvitationProblem error={error} />}
        <FormFoot error={invitationProblem ? null : error} sending={sending} label="Set the password">
          {kind === 'reset' && error?.code === 'INVALID_TOKEN' && (
            <Button component={Link} to="/forgot-password" variant="default">
              Ask for another mail
            </Button>
          )}
        </FormFoot>
      </Stack>
    </form>
  );
}
