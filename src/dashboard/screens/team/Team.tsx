// The members of the organization: invites, edits and removes them.
import { Button, Stack } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { TeamDocument } from '../../../../generated/screens/team/graphql.ts';
import { Allowed, useMay } from '../../parts/access.tsx';
import { Dialog } from '../../parts/Dialog.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { ownTimeZone } from '../../parts/people.ts';
import { Loaded } from '../../parts/states.tsx';
import { useMe } from '../../session/me.ts';
import { EditMember } from './EditMember.tsx';
import { InviteMember } from './InviteMember.tsx';
import type { Member } from './members.ts';
import { MembersTable } from './MembersTable.tsx';
import { RemoveMember } from './RemoveMember.tsx';
import { TeamFilter } from './TeamFilter.tsx';

type Task = { kind: 'invite'; member: Member | null } | { kind: 'edit' | 'remove'; member: Member } | null;

export function Team() {
  const { organization } = useMe();
  const may = useMay('admin');
  const search = useSearch({ from: '/inside/team' });
  const navigate = useNavigate({ from: '/team' });
  const [team, readTeam] = useQuery({ query: TeamDocument });
  const [task, setTask] = useState<Task>(null);
  const [done, setDone] = useState<string | null>(null);
  const close = (): void => setTask(null);
  const finish = (text: string): void => {
    setDone(text);
    close();
    readTeam({ requestPolicy: 'network-only' });
  };
  const start = (next: Task): void => {
    setDone(null);
    setTask(next);
  };
  return (
    <>
      <PageHead title="Team" about={`Members of ${organization.name}. Times in ${ownTimeZone}.`}>
        <Allowed least="admin" what="invite and edit members">
          <Button size="sm" onClick={() => start({ kind: 'invite', member: null })}>
            Invite a member
          </Button>
        </Allowed>
      </PageHead>
      <Stack gap="sm">
        <TeamFilter search={search} done={done} change={(next) => void navigate({ search: next, replace: true })} />
        <Loaded result={team} pick={(data) => data.organization.users} retry={readTeam}>
          {(members) => <MembersTable members={members} search={search} may={may} start={start} />}
        </Loaded>
      </Stack>
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
    </>
  );
}

export type StartTask = (task: Task) => void;
