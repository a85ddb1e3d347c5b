// Sets a password with the token of a reset mail or of an invitation.
import { Anchor, PasswordInput, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { z } from 'zod';
import { UpdatePasswordDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Empty } from '../../parts/states.tsx';
import { Door } from './Door.tsx';
import { useMailedToken } from './mailedToken.ts';

const schema = z
  .object({
    newPassword: z.string().min(8, 'A password has at least 8 characters.').max(256),
    newPasswordRepeat: z.string(),
  })
  .refine(({ newPassword, newPasswordRepeat }) => newPassword === newPasswordRepeat, {
    path: ['newPasswordRepeat'],
    message: 'The passwords differ.',
  });

export const ResetPassword = () => <NewPassword title="Set a new password" done="Your new password holds." />;

export const AcceptInvitation = () => (
  <NewPassword title="Accept the invitation" done="You have joined. Log in with the address of the invitation." />
);

function NewPassword({ title, done }: { title: string; done: string }) {
  const token = useMailedToken();
  const [isSet, setIsSet] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { newPassword: '', newPasswordRepeat: '' },
    schema,
    document: UpdatePasswordDocument,
    variables: (values) => ({ input: { ...values, token } }),
    done: () => setIsSet(true),
  });
  return (
    <Door title={title}>
      {token === '' && <Empty title="The link has no token">Open the link of the mail again.</Empty>}
      {isSet && (
        <Text size="sm" role="status">
          {done}
        </Text>
      )}
      {token !== '' && !isSet && (
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
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
            <FormFoot error={error} sending={sending} label="Set the password" />
          </Stack>
        </form>
      )}
      <Anchor component={Link} to="/login" size="sm">
        Log in
      </Anchor>
    </Door>
  );
}
