// The members of the organization: invites, edits and removes them.
import { Badge, Box, Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import {
  EditMemberDocument,
  InviteMemberDocument,
  RemoveMemberDocument,
  TeamDocument,
  type TeamQuery,
} from '../../../../generated/screens/team/graphql.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { Confirm, Dialog } from '../../parts/dialogs.tsx';
import { count, time } from '../../parts/figures.ts';
import { Form, useAction, useApiForm } from '../../parts/form.tsx';
import { ChoiceFilter, TypedText } from '../../parts/inputs.tsx';
import { Allowed, mayAs, ownTimeZone, RoleInput, roleLabel, roles, useMay } from '../../parts/roles.tsx';
import { Empty } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { type Role, useMe } from '../../session/me.ts';
import { ListScreen, RowAction } from '../ListScreen.tsx';
import type { TeamSearch } from '../searches.ts';

type Task = { kind: 'invite'; member: Member | null } | { kind: 'edit' | 'remove'; member: Member } | null;

export function Team() {
  const { me, organization } = useMe();
  const may = useMay('admin');
  const { search, change } = useAddress('/team');
  const [result, read] = useQuery({ query: TeamDocument });
  const [task, setTask] = useState<Task>(null);
  const [done, setDone] = useState<string | null>(null);
  const close = (): void => setTask(null);
  const finish = (text: string): void => {
    setDone(text);
    close();
    read({ requestPolicy: 'network-only' });
  };
  const start = (next: Task): void => {
    setDone(null);
    setTask(next);
  };
  return (
    <ListScreen
      title="Team"
      about={`Members of ${organization.name}. Times in ${ownTimeZone}.`}
      actions={
        <Allowed least="admin" what="invite and edit members">
          <Button size="sm" onClick={() => start({ kind: 'invite', member: null })}>
            Invite a member
          </Button>
        </Allowed>
      }
      filters={<TeamFilter search={search} done={done} change={(next) => change(next, true)} />}
      {...{ result, read, lines: 4 }}
      pick={(data) => data.organization.users?.filter((member) => fits(member, search))}
      caption="Members"
      columns={[...columnsOf(me.id), ...(may ? [actions(mayAs(me.role, 'owner'), start)] : [])]}
      rowKey={({ email }) => email ?? ''}
      empty={<Empty title="No member fits">Change the search, the role or the status.</Empty>}
      foot={({ length }, { organization: { users } }) => (
        <Text size="xs" c="dimmed" mt="sm">
          {length === users?.length ? `${count(length)} in all` : `${count(length)} of ${count(users?.length ?? 0)}`}
        </Text>
      )}
    >
      <Dialog
        opened={task?.kind === 'invite'}
        close={close}
        title={task?.member ? 'Send the invitation again' : 'Invite a member'}
      >
        <InviteMember again={task?.member ?? null} finish={finish} />
      </Dialog>
      <Dialog opened={task?.kind === 'edit'} close={close} title="Edit a member">
        {task?.member && <EditMember member={task.member} finish={finish} />}
      </Dialog>
      <RemoveMember member={task?.kind === 'remove' ? task.member : null} close={close} finish={finish} />
    </ListScreen>
  );
}

type StartTask = (task: Task) => void;

interface TeamFilterProps {
  search: TeamSearch;
  change: (next: Partial<TeamSearch>) => void;
  done: string | null;
}

const roleWords = Object.fromEntries(roles.map(({ value, label }) => [value, label])) as Record<Role, string>;

/** Narrows the list of members, and says beside it what the last change did. */
function TeamFilter({ search, change, done }: TeamFilterProps) {
  return (
    <Group gap="xs">
      <TypedText
        size="sm"
        aria-label="Search by name or address"
        placeholder="Name or address"
        value={search.q ?? ''}
        change={(text) => change({ q: text || undefined })}
      />
      <ChoiceFilter
        size="sm"
        aria-label="Role"
        any="Any role"
        words={roleWords}
        value={search.role}
        change={(role) => change({ role })}
      />
      <ChoiceFilter
        size="sm"
        aria-label="Status"
        any="Any status"
        words={{ active: 'Active', invited: 'Invited', disabled: 'Disabled' }}
        value={search.status}
        change={(status) => change({ status })}
      />
      <Text size="sm" role="status">
        {done}
      </Text>
    </Group>
  );
}

function columnsOf(ownId: string | null | undefined): Column<Member>[] {
  return [
    {
      key: 'member',
      head: 'Member',
      title: ({ name, email }) => [name, email].filter(Boolean).join(', '),
      cell: (member) => <Who member={member} isMe={member.id !== null && member.id === ownId} />,
    },
    { key: 'role', head: 'Role', cell: ({ role }) => roleLabel(role) },
    { key: 'status', head: 'Status', cell: (member) => <Status member={member} /> },
    {
      key: 'login',
      head: 'Last login here',
      cell: ({ lastLoginAt }) => (lastLoginAt ? time(lastLoginAt, ownTimeZone) : 'Never'),
    },
  ];
}

function actions(isOwner: boolean, start: StartTask): Column<Member> {
  const cell = (member: Member) => {
    if (member.role === 'owner' && !isOwner)
      return (
        <Text size="sm" c="dimmed">
          Owners can edit owners.
        </Text>
      );
    const of = member.name ?? member.email;
    const remove = isInvitation(member) ? 'Withdraw' : 'Remove';
    return (
      <Group gap={6} wrap="nowrap">
        <RowAction label="Edit" name={`Edit ${of}`} run={() => start({ kind: 'edit', member })} />
        {isInvitation(member) && (
          <RowAction label="Send again" name={`Send again to ${of}`} run={() => start({ kind: 'invite', member })} />
        )}
        <RowAction danger label={remove} name={`${remove} ${of}`} run={() => start({ kind: 'remove', member })} />
      </Group>
    );
  };
  return { key: 'actions', head: 'Actions', cell };
}

function Who({ member: { name, email, emailVerified }, isMe }: { member: Member; isMe: boolean }) {
  return (
    <Box maw="min(17rem, 45vw)">
      <Group gap={6} wrap="nowrap">
        <Text size="sm" truncate>
          {name ?? email}
        </Text>
        {isMe && (
          <Badge size="xs" variant="default">
            You
          </Badge>
        )}
      </Group>
      {(name !== null || emailVerified === false) && (
        <Text size="xs" c="dimmed" truncate>
          {name !== null && email}
          {emailVerified === false && ' (address not confirmed)'}
        </Text>
      )}
    </Box>
  );
}

function Status({ member }: { member: Member }) {
  const isOver = member.status === 'disabled' || isExpired(member);
  return (
    <Text size="sm" span c={isOver ? 'var(--bad)' : undefined}>
      {statusText(member)}
    </Text>
  );
}

const memberSchema = z.object({ role: z.string(), status: z.string() });

/** Edits the role and the status of a member. */
function EditMember({ member, finish }: { member: Member; finish: (done: string) => void }) {
  const { me } = useMe();
  const isOwner = useMay('owner');
  const was = { role: member.role ?? '', status: member.status ?? '' };
  const { form, ...api } = useApiForm({
    initial: was,
    schema: memberSchema,
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
    <Form {...api} label="Save">
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
    </Form>
  );
}

function statusHelp(member: Member, chosen: string): string | undefined {
  if (isInvitation(member) && member.status === 'disabled') return 'Send the invitation again to open it.';
  if (chosen !== 'disabled' || member.status === 'disabled') return undefined;
  return isInvitation(member)
    ? 'The link of the invitation stops working.'
    : 'All logins of this member in this organization end at once.';
}

const invitationSchema = z.object({
  email: z.string().trim().min(1, 'Enter an e-mail address.').max(254),
  name: z.string().max(256),
  role: z.string(),
});

/** Invites somebody, or sends an invitation again with a new link. */
function InviteMember({ again, finish }: { again: Member | null; finish: (done: string) => void }) {
  const isOwner = useMay('owner');
  const { form, ...api } = useApiForm({
    initial: { email: again?.email ?? '', name: again?.name ?? '', role: again?.role ?? 'viewer' },
    schema: invitationSchema,
    document: InviteMemberDocument,
    variables: ({ email, name, role }) => ({ input: { email, role, ...(name.trim() !== '' && { name }) } }),
    done: ({ userInvite }) => finish(`An invitation to ${userInvite.email} is on its way. It works for 7 days.`),
  });
  return (
    <Form {...api} label={again ? 'Send again' : 'Invite'}>
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
    </Form>
  );
}

interface RemoveMemberProps {
  /** Null: nobody is to be removed. */
  member: Member | null;
  close: () => void;
  finish: (done: string) => void;
}

/** Ends a membership or withdraws an invitation, after a question. */
function RemoveMember({ member, close, finish }: RemoveMemberProps) {
  const { run, sending, error, clear } = useAction(RemoveMemberDocument);
  const email = member?.email ?? '';
  const isInvited = member !== null && isInvitation(member);
  const remove = async (): Promise<void> => {
    if (await run({ email })) finish(isInvited ? `The invitation of ${email} is withdrawn.` : `${email} is removed.`);
  };
  const leave = (): void => {
    clear();
    close();
  };
  return (
    <Confirm
      opened={member !== null}
      close={leave}
      title={isInvited ? 'Withdraw the invitation' : 'Remove a member'}
      label={isInvited ? 'Withdraw' : 'Remove'}
      sending={sending}
      error={error}
      confirm={() => void remove()}
    >
      {isInvited
        ? `The link in the mail to ${email} stops working.`
        : `${email} loses access to this organization at once. The account, its other organizations and everything ` +
          'it made here stay. You can invite the address again.'}
    </Confirm>
  );
}

type Member = NonNullable<TeamQuery['organization']['users']>[number];

/** A user without an account has not accepted yet. */
const isInvitation = ({ id }: Member): boolean => id === null || id === undefined;

const isExpired = ({ invitationExpiresAt }: Member, now = Date.now()): boolean =>
  typeof invitationExpiresAt === 'string' && Date.parse(invitationExpiresAt) <= now;

function statusText(member: Member): string {
  const { status, invitationExpiresAt } = member;
  if (status === 'disabled') return isInvitation(member) ? 'Disabled invitation' : 'Disabled';
  if (status !== 'invited') return 'Active';
  if (isExpired(member)) return 'Invitation expired';
  return invitationExpiresAt ? `Invited, until ${time(invitationExpiresAt, ownTimeZone)}` : 'Invited';
}

/** schema.graphql, "Status of a user". A disabled invitation becomes `invited` by a further invitation alone. */
function nextStatuses(member: Member): { value: string; label: string }[] {
  const now = { value: member.status ?? '', label: statusText(member) };
  if (member.status === 'disabled') return isInvitation(member) ? [now] : [now, { value: 'active', label: 'Active' }];
  return [now, { value: 'disabled', label: 'Disabled' }];
}

function fits({ email, name, role, status }: Member, search: TeamSearch): boolean {
  const text = `${name ?? ''} ${email ?? ''}`.toLowerCase();
  return (
    (search.q === undefined || text.includes(search.q.toLowerCase())) &&
    (search.role === undefined || role === search.role) &&
    (search.status === undefined || status === search.status)
  );
}
