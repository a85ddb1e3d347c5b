// Invites somebody, or sends an invitation again with a new link.
import { Stack, Text, TextInput } from '@mantine/core';
import { z } from 'zod';
import { InviteMemberDocument } from '../../../../generated/screens/team/graphql.ts';
import { useMay } from '../../parts/access.tsx';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { RoleInput } from '../../parts/RoleInput.tsx';
import type { Member } from './members.ts';

const schema = z.object({
  email: z.string().trim().min(1, 'Enter an e-mail address.').max(254),
  name: z.string().max(256),
  role: z.string(),
});

export function InviteMember({ again, finish }: { again: Member | null; finish: (done: string) => void }) {
  const isOwner = useMay('owner');
  const { form, submit, sending, error } = useApiForm({
    initial: { email: again?.email ?? '', name: again?.name ?? '', role: again?.role ?? 'viewer' },
    schema,
    document: InviteMemberDocument,
    variables: ({ email, name, role }) => ({ input: { email, role, ...(name.trim() !== '' && { name }) } }),
    done: ({ userInvite }) => finish(`An invitation to ${userInvite.email} is on its way. It works for 7 days.`),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {again
            ? 'A new mail goes out, and the link of the mail before stops working.'
            : 'The service sends a mail with a link, which works once and for 7 days.'}
        </Text>
        <TextInput
          label="E-mail address"
          type="email"
          readOnly={again !== null}
          data-autofocus={again === null || undefined}
          {...form.getInputProps('email')}
        />
        <TextInput
          label="Name"
          description="Optional. Members see it until the person has chosen their own."
          {...form.getInputProps('name')}
        />
        <RoleInput
          choices={isOwner ? ['viewer', 'editor', 'admin', 'owner'] : ['viewer', 'editor', 'admin']}
          {...form.getInputProps('role')}
          value={form.values.role}
        />
        <FormFoot error={error} sending={sending} label={again ? 'Send again' : 'Invite'} />
      </Stack>
    </form>
  );
}
