// The user's logins that go on, on all devices and in all organizations; each can be ended.
import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  EndOtherSessionsDocument,
  EndSessionDocument,
  SessionsDocument,
  type SessionsQuery,
} from '../../../../generated/screens/profile/graphql.ts';
import { DataTable, type Column } from '../../parts/DataTable.tsx';
import { ConfirmedMutation } from '../../parts/dialogs.tsx';
import { ago, time } from '../../parts/figures.ts';
import { useAction } from '../../parts/form.tsx';
import { Panel } from '../../parts/layout.tsx';
import { ownTimeZone } from '../../parts/roles.tsx';
import { Empty, ErrorState, Loaded } from '../../parts/states.tsx';
import { Saved } from './Profile.tsx';

type Login = SessionsQuery['sessions'][number];

export function Sessions() {
  const [sessions, readSessions] = useQuery({ query: SessionsDocument });
  const one = useAction(EndSessionDocument);
  const [asking, setAsking] = useState(false);
  const [done, setDone] = useState<string | null>(null);
  const finish = (ended: object | null, text: string): void => {
    setDone(ended && text);
    readSessions({ requestPolicy: 'network-only' });
  };
  const endOne = async ({ id }: Login): Promise<void> => finish(await one.run({ id }), 'The login has ended.');
  const hasOthers = sessions.data?.sessions.some(({ current }) => !current) === true;
  return (
    <Panel
      title="Logins"
      actions={
        hasOthers && (
          <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
            End all others
          </Button>
        )
      }
    >
      <Loaded result={sessions} pick={(data) => data.sessions} retry={readSessions}>
        {(list) => <Logins list={list} end={(login) => void endOne(login)} />}
      </Loaded>
      {one.error && <ErrorState error={one.error} />}
      <Saved>{done}</Saved>
      <ConfirmedMutation
        document={EndOtherSessionsDocument}
        variables={asking ? {} : null}
        changes={[]}
        close={() => setAsking(false)}
        done={() => finish({}, 'All other logins have ended.')}
        title="End all other logins"
        label="End all others"
      >
        All other browsers and devices have to log in again. This login goes on.
      </ConfirmedMutation>
    </Panel>
  );
}

function Logins({ list, end }: { list: Login[]; end: (login: Login) => void }) {
  const columns: Column<Login>[] = [
    {
      key: 'program',
      head: 'Browser',
      title: ({ userAgent }) => userAgent ?? undefined,
      cell: ({ userAgent, current }) => (
        <Group gap={6} wrap="nowrap">
          <Text size="sm" truncate>
            {programOf(userAgent)}
          </Text>
          {current && (
            <Badge size="xs" variant="default">
              This one
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'address', head: 'Network address', cell: ({ address }) => address ?? 'Unknown' },
    { key: 'began', head: 'Logged in', cell: ({ createdAt }) => time(createdAt, ownTimeZone) },
    {
      key: 'used',
      head: 'Last used',
      title: ({ lastUsedAt }) => time(lastUsedAt, ownTimeZone),
      cell: ({ lastUsedAt }) => ago(lastUsedAt),
    },
    {
      key: 'end',
      head: 'Actions',
      cell: (login) =>
        !login.current && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`End the login of ${programOf(login.userAgent)} at ${time(login.createdAt, ownTimeZone)}`}
            onClick={() => end(login)}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <DataTable
      caption="Your logins, the latest first"
      columns={columns}
      rows={list}
      rowKey={({ id }) => id}
      empty={<Empty title="No logins" />}
    />
  );
}

const browsers: [RegExp, string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const systems: [RegExp, string][] = [
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
];

const nameIn = (list: [RegExp, string][], text: string): string | undefined =>
  list.find(([pattern]) => pattern.test(text))?.[1];

/** What a `User-Agent` names, so that people recognize a login. An unknown one is shown as it is. */
function programOf(userAgent: string | null | undefined): string {
  if (!userAgent) return 'Unknown';
  const browser = nameIn(browsers, userAgent);
  const system = nameIn(systems, userAgent);
  return browser === undefined ? userAgent : system === undefined ? browser : `${browser} on ${system}`;
}
