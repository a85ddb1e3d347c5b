// Edits the role and the status of a member.
import { NativeSelect, Stack, Text } from '@mantine/core';
import { z } from 'zod';
import { EditMemberDocument } from '../../../../generated/screens/team/graphql.ts';
import { useMay } from '../../parts/access.tsx';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { RoleInput } from '../../parts/RoleInput.tsx';
import { useMe } from '../../session/me.ts';
import { isInvitation, nextStatuses, type Member } from './members.ts';

const schema = z.object({ role: z.string(), status: z.string() });

export function EditMember({ member, finish }: { member: Member; finish: (done: string) => void }) {
  const { me } = useMe();
  const isOwner = useMay('owner');
  const was = { role: member.role ?? '', status: member.status ?? '' };
  const { form, submit, sending, error } = useApiForm({
    initial: was,
    schema,
    document: EditMemberDocument,
    // What has not been changed here may have been changed by somebody else meanwhile: it is not sent.
    variables: ({ role, status }) => ({
      input: {
        email: member.email,
        ...(role !== was.role && { role }),
        ...(status !== was.status && { status }),
      },
    }),
    done: () => finish(`${member.email} has been changed.`),
  });
  const choices = nextStatuses(member);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {member.name ? `${member.name}, ${member.email}` : member.email}
        </Text>
        {member.id !== null && member.id === me.id && (
          <Text size="sm">This is you: with a lower role you may not be able to take it back.</Text>
        )}
        <RoleInput
          choices={isOwner ? ['viewer', 'editor', 'admin', 'owner'] : ['viewer', 'editor', 'admin']}
          {...form.getInputProps('role')}
          value={form.values.role}
        />
        <NativeSelect
          label="Status"
          data={choices}
          disabled={choices.length === 1}
          description={statusHelp(member, form.values.status)}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          {...form.getInputProps('status')}
        />
        <FormFoot error={error} sending={sending} label="Save" />
      </Stack>
    </form>
  );
}

function statusHelp(member: Member, chosen: string): string | undefined {
  if (isInvitation(member) && member.status === 'disabled') return 'Send the invitation again to open it.';
  if (chosen !== 'disabled' || member.status === 'disabled') return undefined;
  return isInvitation(member)
    ? 'The link of the invitation stops working.'
    : 'All logins of this member in this organization end at once.';
}
