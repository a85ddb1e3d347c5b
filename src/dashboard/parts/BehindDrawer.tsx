// What is behind a figure: the devices that a report has counted, in a drawer above the report.
import { Drawer, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  BehindDocument,
  type BehindQuery,
  type DevicesBehindInput,
  type DevicesBehindPointInput,
} from '../../../generated/screens/parts/graphql.ts';
import { useApplication } from '../session/me.ts';
import { DataTable, type Column } from './DataTable.tsx';
import { GivenText } from './GivenText.tsx';
import { count, countryName, time } from './figures.ts';
import { DeviceLink, UserLink } from './links.tsx';
import { CursorPages, useOwnPages } from './pages.tsx';
import { Empty, Loaded } from './states.tsx';
import { versionText } from './values.ts';

export interface Behind {
  /** Names the figure: `Active devices, Mon 2 Mar`. */
  title: string;
  /** The question as the report has asked it. */
  of: DevicesBehindInput;
  point: DevicesBehindPointInput;
}

/** `drawer` belongs somewhere on the screen; `open` shows what is behind a figure in it. */
export function useBehind() {
  const [behind, setBehind] = useState<Behind | null>(null);
  const [opened, setOpened] = useState(false);
  const open = (next: Behind): void => {
    setBehind(next);
    setOpened(true);
  };
  return { open, drawer: <BehindDrawer behind={behind} opened={opened} close={() => setOpened(false)} /> };
}

interface BehindDrawerProps {
  /** Stays while the drawer closes, so that it does not close empty. */
  behind: Behind | null;
  opened: boolean;
  close: () => void;
}

function BehindDrawer({ behind, opened, close }: BehindDrawerProps) {
  return (
    <Drawer
      opened={opened}
      onClose={close}
      position="right"
      size="xl"
      title={
        <Text fw={600} component="span" lineClamp={3} style={{ overflowWrap: 'anywhere' }} title={behind?.title}>
          {behind?.title}
        </Text>
      }
    >
      {behind && <Devices {...behind} />}
    </Drawer>
  );
}

function Devices({ of, point }: Behind) {
  const { timeZone } = useApplication();
  const pages = useOwnPages(JSON.stringify([of, point]));
  const [result, reread] = useQuery({ query: BehindDocument, variables: { of, point, after: pages.after } });
  return (
    <Loaded result={result} pick={(data) => data.devicesBehind} retry={() => reread({ requestPolicy: 'network-only' })}>
      {({ nodes, total, endCursor, hasMore, asOf }) => (
        <>
          <Text size="sm" mb="xs">
            <strong>{count(total)}</strong> {total === 1 ? 'device' : 'devices'}. {meaningOf(of, point)}
          </Text>
          <Text size="xs" c="dimmed" mb="sm">
            The device that was seen last comes first. Times in {timeZone}, read {time(asOf, timeZone, 'second')}.
          </Text>
          <DevicesTable nodes={nodes} timeZone={timeZone} />
          {(pages.after !== undefined || hasMore) && (
            <CursorPages
              one="device"
              many="devices"
              shown={nodes.length}
              reading={result.fetching}
              {...{ pages, endCursor, hasMore }}
            />
          )}
        </>
      )}
    </Loaded>
  );
}

/** Why the number of devices may be another one than the figure: schema.graphql, "Units and counts". */
function meaningOf(of: DevicesBehindInput, point: DevicesBehindPointInput): string {
  if (point.activity?.figure === 'SESSIONS') return 'They have brought the counted sessions.';
  if ((of.activity ?? of.eventSeries ?? of.funnel ?? of.retention)?.unit === 'USER') {
    return 'They are all devices of the counted users, and the counted devices without a user.';
  }
  const measure = of.eventSeries?.measure ?? 'COUNT';
  return of.eventSeries && measure !== 'UNIQUE' ? 'They have brought the counted events.' : '';
}

type Device = NonNullable<BehindQuery['devicesBehind']>['nodes'][number];

function DevicesTable({ nodes, timeZone }: { nodes: Device[]; timeZone: string }) {
  const { applicationId } = useApplication();
  const columns: Column<Device>[] = [
    { key: 'id', head: 'Device', cell: ({ id }) => <DeviceLink applicationId={applicationId} id={id} /> },
    {
      key: 'user',
      head: 'User',
      cell: ({ userId }) => (userId === null ? '—' : <UserLink applicationId={applicationId} user={userId} />),
    },
    { key: 'last', head: 'Last seen', cell: ({ lastSeenAt }) => time(lastSeenAt, timeZone) },
    { key: 'first', head: 'First seen', cell: ({ firstSeenAt }) => time(firstSeenAt, timeZone) },
    { key: 'sessions', head: 'Sessions', numeric: true, cell: ({ sessionsCount }) => count(sessionsCount) },
    {
      key: 'platform',
      head: 'Platform',
      cell: ({ platform }) => (platform === null ? '—' : <GivenText text={platform} cut />),
    },
    {
      key: 'country',
      head: 'Country',
      cell: ({ country }) => (country === null ? '—' : <GivenText text={countryName(country)} cut />),
    },
    {
      key: 'version',
      head: 'App version',
      numeric: true,
      cell: ({ appVersion }) => (appVersion === null ? '—' : versionText(appVersion)),
    },
  ];
  return (
    <DataTable
      caption="Devices behind the figure"
      columns={columns}
      rows={nodes}
      rowKey={({ id }) => id}
      empty={<Empty title="No device">The service may have removed it since the report was read.</Empty>}
    />
  );
}
