// The members that fit the search, each with what may be done.
import { Badge, Button, Group, Text } from '@mantine/core';
import { mayAs } from '../../parts/access.tsx';
import { count, time } from '../../parts/figures.ts';
import { ownTimeZone, roleLabel } from '../../parts/people.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useMe } from '../../session/me.ts';
import { fits, isExpired, isInvitation, statusText, type Member } from './members.ts';
import classes from './MembersTable.module.css';
import type { TeamSearch } from '../searches.ts';
import type { StartTask } from './Team.tsx';

interface MembersTableProps {
  members: Member[];
  search: TeamSearch;
  may: boolean;
  start: StartTask;
}

export function MembersTable({ members, search, may, start }: MembersTableProps) {
  const { me } = useMe();
  const rows = members.filter((member) => fits(member, search));
  const columns: Column<Member>[] = [
    {
      key: 'member',
      head: 'Member',
      title: ({ name, email }) => [name, email].filter(Boolean).join(', '),
      cell: (member) => <Who member={member} isMe={member.id !== null && member.id === me.id} />,
    },
    { key: 'role', head: 'Role', cell: ({ role }) => roleLabel(role) },
    { key: 'status', head: 'Status', cell: (member) => <Status member={member} /> },
    {
      key: 'login',
      head: 'Last login here',
      cell: ({ lastLoginAt }) => (lastLoginAt ? time(lastLoginAt, ownTimeZone) : 'Never'),
    },
    ...(may ? [actions(mayAs(me.role, 'owner'), start)] : []),
  ];
  return (
    <>
      <DataTable
        caption="Members"
        columns={columns}
        rows={rows}
        rowKey={({ email }) => email ?? ''}
        empty={<Empty title="No member fits">Change the search, the role or the status.</Empty>}
      />
      <Text size="xs" c="dimmed">
        {rows.length === members.length
          ? `${count(rows.length)} in all`
          : `${count(rows.length)} of ${count(members.length)}`}
      </Text>
    </>
  );
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
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Edit ${of}`}
          onClick={() => start({ kind: 'edit', member })}
        >
          Edit
        </Button>
        {isInvitation(member) && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Send again to ${of}`}
            onClick={() => start({ kind: 'invite', member })}
          >
            Send again
          </Button>
        )}
        <Button
          size="compact-xs"
          variant="default"
          c="var(--bad)"
          aria-label={`${remove} ${of}`}
          onClick={() => start({ kind: 'remove', member })}
        >
          {remove}
        </Button>
      </Group>
    );
  };
  return { key: 'actions', head: 'Actions', cell };
}

function Who({ member: { name, email, emailVerified }, isMe }: { member: Member; isMe: boolean }) {
  return (
    <div className={classes.who}>
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
    </div>
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
