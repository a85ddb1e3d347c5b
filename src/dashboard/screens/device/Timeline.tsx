// The sessions of the device, newest first; each opens its events.
import { Badge, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { DeviceSessionsDocument, type DeviceSessionsQuery } from '../../../../generated/screens/device/graphql.ts';
import { count, duration, time } from '../../parts/figures.ts';
import { Facts } from '../../parts/Facts.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { UserLink } from '../../parts/UserLink.tsx';
import type { DevicePart } from './Device.tsx';
import { None } from './None.tsx';
import { SessionEvents } from './SessionEvents.tsx';
import classes from './Timeline.module.css';
import { localTime } from './words.ts';

export type SeenSession = NonNullable<DeviceSessionsQuery['device']>['sessions'][number];

/** How many sessions are read, step by step; the API shows no more than the last. */
const steps = [20, 50, 100, 200];

export function Timeline({ userId, ...part }: DevicePart & { userId: string | null }) {
  const { applicationId, id } = part;
  const [limit, setLimit] = useState(steps[0]!);
  const variables = { applicationId, id, limit };
  const [result, read] = useQuery({ query: DeviceSessionsDocument, variables });
  return (
    <Panel title="Timeline">
      <Loaded result={result} pick={({ device }) => device} retry={() => read({ requestPolicy: 'network-only' })}>
        {({ sessions, sessionsCount }) => (
          <>
            {sessions.length === 0 && <None>The device has uploaded no session.</None>}
            {sessions.map((session, at) => (
              <Session key={session.id} {...part} session={session} at={at} userId={userId} />
            ))}
            {sessions.length > 0 && (
              <Foot
                shown={sessions.length}
                stored={sessionsCount}
                more={() => setLimit(steps.find((step) => step > sessions.length) ?? limit)}
              />
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function Foot({ shown, stored, more }: { shown: number; stored: number; more: () => void }) {
  const most = steps.at(-1)!;
  return (
    <Group justify="space-between" mt="sm">
      <Text size="sm" c="dimmed" className="figure" role="status">
        {shown >= stored
          ? `${count(stored)} ${stored === 1 ? 'session' : 'sessions'}`
          : `The newest ${count(shown)} of ${count(stored)} sessions`}
        {shown >= most && stored > most && '. Older ones are stored and counted; the API does not show them.'}
      </Text>
      {shown < stored && shown < most && (
        <Button size="compact-sm" variant="default" onClick={more}>
          Show older sessions
        </Button>
      )}
    </Group>
  );
}

interface SessionProps extends DevicePart {
  session: SeenSession;
  /** Its place in the list. */
  at: number;
  /** The present user of the device. */
  userId: string | null;
}

function Session({ session, at, userId, ...part }: SessionProps) {
  const [opened, setOpened] = useState(at === 0);
  return (
    <details className={classes.session} open={opened} onToggle={({ currentTarget }) => setOpened(currentTarget.open)}>
      <summary>
        <span className={classes.head}>
          <span className={classes.when}>{time(session.startedAt, part.timeZone, 'full')}</span>
          <span className={classes.length}>{lengthOf(session)}</span>
          <span className={classes.length}>no. {count(session.globalNumber)}</span>
          {session.datesSuspect && (
            <Badge size="xs" variant="default">
              clock was wrong
            </Badge>
          )}
          {session.userId !== userId && (
            <Badge size="xs" variant="default">
              other user
            </Badge>
          )}
        </span>
      </summary>
      {opened && (
        <div className={classes.body}>
          <SessionFacts session={session} {...part} />
          <SessionEvents {...part} session={session.id} at={at} />
        </div>
      )}
    </details>
  );
}

function lengthOf({ startedAt, finishedAt, datesSuspect }: SeenSession): string {
  if (finishedAt === null) return 'no end has arrived';
  if (datesSuspect) return 'length unknown';
  return duration((Date.parse(finishedAt) - Date.parse(startedAt)) / 1_000);
}

function SessionFacts({ session, applicationId, timeZone }: DevicePart & { session: SeenSession }) {
  const { id, globalNumber, versionNumber, startedAt, utcOffsetMinutes, receivedAt, userId } = session;
  return (
    <Facts
      facts={[
        { name: 'Session', value: <GivenText text={id} /> },
        {
          name: 'Number',
          value: `${count(globalNumber)} on this device, ${count(versionNumber)} in this version of the app`,
        },
        {
          name: 'User',
          value: userId === null ? 'none' : <UserLink applicationId={applicationId} user={userId} whole />,
        },
        {
          name: 'Device’s own time',
          value: utcOffsetMinutes === null ? 'not stored' : localTime(startedAt, utcOffsetMinutes),
        },
        { name: 'First arrived', value: time(receivedAt, timeZone, 'full') },
      ]}
    />
  );
}
