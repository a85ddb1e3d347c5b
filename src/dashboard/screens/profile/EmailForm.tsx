// Changes the user's e-mail address, or asks for another mail that confirms the present one.
import { PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { ChangeEmailDocument } from '../../../../generated/screens/profile/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { Panel } from '../../parts/Panel.tsx';
import { useMe } from '../../session/me.ts';
import { Saved } from './Saved.tsx';
import { wrongPassword } from './wrongPassword.ts';

const schema = z.object({
  newEmail: z.string().trim().min(1, 'Enter an e-mail address.').max(254),
  password: z.string().min(1, 'Enter your password.'),
});

export function EmailForm() {
  const { me } = useMe();
  const isConfirmed = me.emailVerified !== false;
  const [done, setDone] = useState<string | null>(null);
  const { form, submit, sending, error } = useApiForm({
    initial: { newEmail: isConfirmed ? '' : (me.email ?? ''), password: '' },
    schema,
    document: ChangeEmailDocument,
    variables: (input) => ({ input }),
    done: (_, { newEmail }) => {
      form.setFieldValue('password', '');
      setDone(`A mail to ${newEmail} is on its way. The link in it confirms the address.`);
    },
    codes: { INVALID_CREDENTIALS: wrongPassword('password') },
  });
  return (
    <Panel title="E-mail address">
      <form onSubmit={submit} onChange={() => setDone(null)} noValidate>
        <Stack gap="sm">
          <Text size="sm" c={isConfirmed ? 'dimmed' : 'var(--bad)'}>
            {isConfirmed
              ? `Your address is ${me.email}. It changes once you open the link in the mail to the new address, within 24 hours.`
              : `Nobody has confirmed ${me.email} yet. Open the link in the mail to it, or ask for another mail here.`}
          </Text>
          <TextInput
            label={isConfirmed ? 'New e-mail address' : 'E-mail address'}
            type="email"
            autoComplete="email"
            {...form.getInputProps('newEmail')}
          />
          <PasswordInput label="Your password" autoComplete="current-password" {...form.getInputProps('password')} />
          <FormFoot error={error} sending={sending} label="Send the mail">
            <Saved>{done}</Saved>
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}
