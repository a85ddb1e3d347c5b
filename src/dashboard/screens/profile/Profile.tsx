// The user's own account: name, address, password, logins, organizations, and its end.
import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import {
  ChangeEmailDocument,
  ChangePasswordDocument,
  DeleteAccountDocument,
  EditProfileDocument,
} from '../../../../generated/screens/profile/graphql.ts';
import { Dialog } from '../../parts/dialogs.tsx';
import { FormFoot, newPasswords, passwordsDiffer, useApiForm } from '../../parts/form.tsx';
import { Columns, PageHead, Panel } from '../../parts/layout.tsx';
import { ownTimeZone, roleLabel } from '../../parts/roles.tsx';
import { useSession } from '../../session/SessionProvider.tsx';
import { useMe } from '../../session/me.ts';
import { Organizations } from './Organizations.tsx';
import { Sessions } from './Sessions.tsx';

export function Profile() {
  const { me, organization } = useMe();
  return (
    <>
      <PageHead
        title="Profile"
        about={`${me.email}, ${roleLabel(me.role).toLowerCase()} of ${organization.name}. Times in ${ownTimeZone}.`}
      />
      <Stack>
        <Columns>
          <Stack>
            <NameForm />
            <PasswordForm />
          </Stack>
          <Stack>
            <EmailForm />
            <Organizations />
            <DeleteAccount />
          </Stack>
        </Columns>
        <Sessions />
      </Stack>
    </>
  );
}

const nameSchema = z.object({
  name: z.string().trim().min(1, 'Enter your name.').max(256),
  avatar: z.string().max(2_048),
});

/** The user's own name and picture, the same in each of their organizations. */
function NameForm() {
  const { me } = useMe();
  const [saved, setSaved] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { name: me.name ?? '', avatar: me.avatar ?? '' },
    schema: nameSchema,
    document: EditProfileDocument,
    variables: (input) => ({ input }),
    done: ({ userEdit: { name, avatar } }) => {
      // As the service keeps them.
      form.setValues({ name: name ?? '', avatar: avatar ?? '' });
      setSaved(true);
    },
  });
  return (
    <Panel title="Name and picture">
      <form onSubmit={submit} onChange={() => setSaved(false)} noValidate>
        <Stack gap="sm">
          <TextInput label="Name" autoComplete="name" {...form.getInputProps('name')} />
          <TextInput
            label="Picture"
            description="Normally a URL. The service keeps the text and never opens it."
            {...form.getInputProps('avatar')}
          />
          <FormFoot error={error} sending={sending} label="Save">
            <Saved>{saved ? 'Saved.' : null}</Saved>
          </FormFoot>
        </Stack>
      </form>
    </Panel>
  );
}

const emailSchema = z.object({
  newEmail: z.string().trim().min(1, 'Enter an e-mail address.').max(254),
  password: z.string().min(1, 'Enter your password.'),
});

/** Changes the user's e-mail address, or asks for another mail that confirms the present one. */
function EmailForm() {
  const { me } = useMe();
  const isConfirmed = me.emailVerified !== false;
  const [done, setDone] = useState<string | null>(null);
  const { form, submit, sending, error } = useApiForm({
    initial: { newEmail: isConfirmed ? '' : (me.email ?? ''), password: '' },
    schema: emailSchema,
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

const passwordSchema = newPasswords
  .extend({ currentPassword: z.string().min(1, 'Enter your password.') })
  .refine(...passwordsDiffer);

/** Changes the user's password; logins on other devices end with it. */
function PasswordForm() {
  const [saved, setSaved] = useState(false);
  const { form, submit, sending, error } = useApiForm({
    initial: { currentPassword: '', newPassword: '', newPasswordRepeat: '' },
    schema: passwordSchema,
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

/** Deletes the user's account, for the password. */
function DeleteAccount() {
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

const deletionSchema = z.object({ password: z.string().min(1, 'Enter your password.') });

function DeleteForm({ close }: { close: () => void }) {
  const { me } = useMe();
  const session = useSession();
  const { form, submit, sending, error } = useApiForm({
    initial: { password: '' },
    schema: deletionSchema,
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

/** Says beside the button of a form that it has been saved. */
export function Saved({ children }: { children: string | null }) {
  return (
    <Text size="sm" role="status">
      {children}
    </Text>
  );
}

/** `INVALID_CREDENTIALS` of somebody who is logged in: the own password is wrong. */
const wrongPassword = <Field extends string>(field: Field) => ({
  field,
  message: 'This is not your password.',
});
