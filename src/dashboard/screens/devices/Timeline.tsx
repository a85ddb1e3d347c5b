// The sessions of the device, newest first; each opens its events.
import { Badge, Button, Group, Text } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { useQuery } from 'urql';
import {
  DeviceSessionsDocument,
  type DeviceSessionsQuery,
  SessionEventsDocument,
  type SessionEventsQuery,
} from '../../../../generated/screens/devices/graphql.ts';
import { apiErrorOf } from '../../api/apiError.ts';
import { exactNumbers } from '../../api/exactNumbers.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { count, duration, time } from '../../parts/figures.ts';
import { GivenText, JsonText } from '../../parts/GivenText.tsx';
import { Facts, Panel } from '../../parts/layout.tsx';
import { TextLink, UserLink } from '../../parts/links.tsx';
import { isUuid } from '../../parts/searchParameters.ts';
import { Loaded } from '../../parts/states.tsx';
import classes from './Timeline.module.css';

export interface DevicePart {
  applicationId: string;
  timeZone: string;
  /** `Device.id`. */
  id: string;
}

type SeenSession = NonNullable<DeviceSessionsQuery['device']>['sessions'][number];

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
          <SessionEvents {...part} session={session.id} startedAt={session.startedAt} at={at} />
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

type Event = NonNullable<SessionEventsQuery['device']>['sessions'][number]['events'][number];

interface SessionEventsProps extends DevicePart {
  session: string;
  startedAt: string;
  /** The session's place in the list. */
  at: number;
}

/** The events of one session, page by page, in the order of their arrival. */
function SessionEvents({ applicationId, id, timeZone, session, startedAt, at }: SessionEventsProps) {
  const [size, setSize] = useState(at < 50 ? 100 : 50);
  const [offset, setOffset] = useState(0);
  // The API reads the events of the newest sessions together. A few more, in case that one has begun meanwhile.
  const sessions = Math.min(200, at + 3);
  const variables = { applicationId, id, sessions, limit: size + 1, offset };
  const [result, read] = useQuery({ query: SessionEventsDocument, variables, context: exactNumbers });
  const tooLarge = apiErrorOf(result.error)?.code === 'BAD_USER_INPUT';
  useEffect(() => {
    if (tooLarge && size > 10) setSize(10);
  }, [tooLarge, size]);
  const pick = ({ device }: SessionEventsQuery) => device?.sessions.find((one) => one.id === session)?.events;
  return (
    <Loaded result={result} pick={pick} retry={() => read({ requestPolicy: 'network-only' })} lines={3}>
      {(events) => (
        <div>
          {events.length > 1 && (
            <Text size="xs" c="dimmed" mb={4}>
              In the order in which they arrived. Times by the device’s clock.
            </Text>
          )}
          <DataTable
            caption="Events of the session"
            columns={columnsOf({ applicationId, timeZone, startedAt })}
            rows={events.slice(0, size)}
            rowKey={(event) => event.id}
            empty={<None>The session has no events.</None>}
          />
          {(offset > 0 || events.length > size) && (
            <Pages offset={offset} size={size} shown={events.length} go={setOffset} />
          )}
        </div>
      )}
    </Loaded>
  );
}

interface PagesProps {
  offset: number;
  size: number;
  /** One more than the size where there are more. */
  shown: number;
  go: (offset: number) => void;
}

function Pages({ offset, size, shown, go }: PagesProps) {
  return (
    <Group justify="space-between" mt="xs" gap="xs">
      <Text size="sm" c="dimmed" className="figure" role="status">
        Events {count(offset + 1)} to {count(offset + Math.min(shown, size))}
      </Text>
      <Group gap="xs">
        {offset > 0 && (
          <Button size="compact-sm" variant="default" onClick={() => go(Math.max(0, offset - size))}>
            Earlier events
          </Button>
        )}
        {shown > size && (
          <Button size="compact-sm" variant="default" onClick={() => go(offset + size)}>
            Later events
          </Button>
        )}
      </Group>
    </Group>
  );
}

function columnsOf({
  applicationId,
  timeZone,
  startedAt,
}: Pick<SessionEventsProps, 'applicationId' | 'timeZone' | 'startedAt'>): Column<Event>[] {
  const day = time(startedAt, timeZone, 'date');
  // The session's head names its day.
  const when = (at: string): string => time(at, timeZone, time(at, timeZone, 'date') === day ? 'clock' : 'second');
  return [
    { key: 'at', head: 'Its clock', numeric: true, cell: ({ timestamp }) => when(timestamp) },
    {
      key: 'event',
      head: 'Event and parameters',
      wrap: true,
      cell: (event) => (
        <>
          <Group gap="0 8px">
            <Name event={event} applicationId={applicationId} />
            <Late event={event} timeZone={timeZone} />
          </Group>
          {!isEmpty(event.params) && <JsonText value={event.params} />}
        </>
      ),
    },
  ];
}

const isEmpty = (params: unknown): boolean => Object.keys(params as object).length === 0;

function Name({ event, applicationId }: { event: Event; applicationId: string }) {
  const campaign = campaignOf(event);
  return (
    <Group gap={6}>
      <GivenText text={event.name} />
      {event.type === 'SYSTEM' && (
        <Badge size="xs" variant="default">
          SDK
        </Badge>
      )}
      {campaign !== null && (
        <TextLink to="/apps/$applicationId/campaigns/$id" params={{ applicationId, id: campaign }}>
          Campaign
        </TextLink>
      )}
    </Group>
  );
}

/** Devices collect events for some minutes; a longer way is worth a line. */
const usualSeconds = 600;

function Late({ event, timeZone }: { event: Event; timeZone: string }) {
  const seconds = (Date.parse(event.receivedAt) - Date.parse(event.timestamp)) / 1_000;
  if (Math.abs(seconds) < usualSeconds) return null;
  const gap = seconds > 0 ? `${duration(seconds)} later` : `${duration(-seconds)} earlier: the device’s clock is ahead`;
  return (
    <Text size="xs" c="dimmed" className="figure">
      arrived {time(event.receivedAt, timeZone, 'second')}, {gap}
    </Text>
  );
}

/** The campaign that the SDK's event names. */
function campaignOf({ type, params }: Event): string | null {
  const id = type === 'SYSTEM' ? (params as Record<string, unknown>)['campaignId'] : null;
  return typeof id === 'string' && isUuid(id) ? id : null;
}

/** `+02:00` for 120 minutes. */
function offsetText(minutes: number): string {
  const part = (value: number): string => String(value).padStart(2, '0');
  const absolute = Math.abs(minutes);
  return `${minutes < 0 ? '−' : '+'}${part(Math.floor(absolute / 60))}:${part(absolute % 60)}`;
}

/** The wall clock of the device at an instant. */
function localTime(instant: string, offsetMinutes: number): string {
  const moved = new Date(Date.parse(instant) + offsetMinutes * 60_000).toISOString();
  return `${moved.slice(0, 10)} ${moved.slice(11, 19)} (UTC${offsetText(offsetMinutes)})`;
}

/** One quiet line in place of a list without rows: on this screen most lists are empty for most devices. */
export function None({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
