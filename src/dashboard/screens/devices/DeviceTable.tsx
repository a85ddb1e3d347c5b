// Devices as a table: who, what, when, and how many sessions.
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { DevicesQuery } from '../../../../generated/screens/devices/graphql.ts';
import { DeviceLink } from '../../parts/DeviceLink.tsx';
import { count, countryName, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { DataTable, type Column, type Sorting } from '../../parts/table/DataTable.tsx';
import { UserLink } from '../../parts/UserLink.tsx';
import { versionText } from '../../parts/version.ts';

export type ListedDevice = NonNullable<DevicesQuery['devices']>['nodes'][number];

interface DeviceTableProps {
  applicationId: string;
  timeZone: string;
  caption: string;
  rows: readonly ListedDevice[];
  asOf: string;
  sorting?: Sorting;
  empty: ReactNode;
}

export function DeviceTable({ applicationId, timeZone, rows, asOf, ...table }: DeviceTableProps) {
  return (
    <>
      <DataTable {...table} rows={rows} rowKey={({ id }) => id} columns={columnsOf(applicationId, timeZone)} />
      {rows.length > 0 && (
        <Text size="xs" c="dimmed" mt={4} className="figure">
          As of {time(asOf, timeZone, 'second')}
        </Text>
      )}
    </>
  );
}

function columnsOf(applicationId: string, timeZone: string): Column<ListedDevice>[] {
  return [
    { key: 'id', head: 'Device', cell: ({ id }) => <DeviceLink applicationId={applicationId} id={id} /> },
    {
      key: 'user',
      head: 'User',
      cell: ({ userId }) => (userId === null ? '—' : <UserLink applicationId={applicationId} user={userId} />),
    },
    {
      key: 'last',
      head: 'Last seen',
      numeric: true,
      sort: 'LAST_SEEN',
      cell: ({ lastSeenAt }) => time(lastSeenAt, timeZone),
    },
    {
      key: 'first',
      head: 'First seen',
      numeric: true,
      sort: 'FIRST_SEEN',
      cell: ({ firstSeenAt }) => time(firstSeenAt, timeZone),
    },
    {
      key: 'sessions',
      head: 'Sessions',
      numeric: true,
      sort: 'SESSIONS',
      cell: ({ sessionsCount }) => count(sessionsCount),
    },
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
}
