// Changes the user's password; logins on other devices end with it.
import { PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { ChangePasswordDocument } from '../../../../generated/screens/profile/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Panel } from '../../parts/Panel.tsx';
import { passwordsDiffer, newPasswords } from '../../session/newPasswords.ts';
import { Saved } from './Saved.tsx';
import { wrongPassword } from './wrongPassword.ts';

const schema = newPasswords
  .extend({ currentPassword: z.string().min(1, 'Enter your password.') })
  .refine(...passwordsDiffer);

export function PasswordForm() {
  const [saved, setSaved] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { currentPassword: '', newPassword: '', newPasswordRepeat: '' },
    schema,
    document: ChangePasswordDocument,
    variables: (input) => ({ input }),
    done: () => {
      form.reset();
      setSaved(true);
    },
    codes: { INVALID_CREDENTIALS: wrongPassword('currentPassword') },
  });
  return (
    <Panel title="Password">
      <form onSubmit={submit} onChange={() => setSaved(false)} noValidate>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            A new password ends your logins on other devices. This one goes on.
          </Text>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...form.getInputProps('currentPassword')}
          />
          <PasswordInput
            label="New password"
            description="8 characters or more, and not a common password"
            autoComplete="new-password"
            {...form.getInputProps('newPassword')}
          />
          <PasswordInput
            label="The new password again"
            autoComplete="new-password"
            {...form.getInputProps('newPasswordRepeat')}
          />
          <FormFoot error={error} sending={sending} label="Change the password">
            <Saved>{saved ? 'Your new password holds.' : null}</Saved>
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}
