// Deletes the user's account, for the password.
import { Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { DeleteAccountDocument } from '../../../../generated/screens/profile/graphql.ts';
import { Dialog } from '../../parts/Dialog.tsx';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Panel } from '../../parts/Panel.tsx';
import { useMe } from '../../session/me.ts';
import { useSession } from '../../session/SessionProvider.tsx';
import { wrongPassword } from './wrongPassword.ts';

export function DeleteAccount() {
  const [opened, setOpened] = useState(false);
  return (
    <Panel title="Delete the account">
      <Stack gap="sm" align="start">
        <Text size="sm" c="dimmed">
          It ends all your memberships and logins. Nobody can undo it. The organizations keep what you made in them, and
          their audit logs keep your address.
        </Text>
        <Button variant="default" size="compact-sm" c="var(--bad)" onClick={() => setOpened(true)}>
          Delete the account
        </Button>
      </Stack>
      <Dialog opened={opened} close={() => setOpened(false)} title="Delete the account">
        <DeleteForm close={() => setOpened(false)} />
      </Dialog>
    </Panel>
  );
}

const schema = z.object({ password: z.string().min(1, 'Enter your password.') });

function DeleteForm({ close }: { close: () => void }) {
  const { me } = useMe();
  const session = useSession();
  const { form, submit, sending, error } = useApiForm({
    initial: { password: '' },
    schema,
    document: DeleteAccountDocument,
    variables: (values) => values,
    done: () => session.end(),
    codes: { INVALID_CREDENTIALS: wrongPassword('password') },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">This deletes the account of {me.email}. Nobody can undo it.</Text>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          data-autofocus
          {...form.getInputProps('password')}
        />
        <FormFoot error={error} sending={sending} label="Delete the account">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        </FormFoot>
      </Stack>
    </form>
  );
}
