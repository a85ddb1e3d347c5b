// The devices of an application: found by their id, their user, their properties or when they were seen.
import { SegmentedControl, Stack, Switch, Group, TextInput, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState, useMemo, type ReactNode } from 'react';
import { useQuery } from 'urql';
import {
  DevicesDocument,
  UserDevicesDocument,
  type DevicesQuery,
} from '../../../../generated/screens/devices/graphql.ts';
import { DeviceLink } from '../../parts/DeviceLink.tsx';
import { count, countryName, time } from '../../parts/figures.ts';
import { FilterEditor } from '../../parts/filters/FilterEditor.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { dayStart } from '../../parts/range/dayStart.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { CursorPages } from '../../parts/table/CursorPages.tsx';
import { DataTable, type Column, type Sorting } from '../../parts/table/DataTable.tsx';
import { usePages } from '../../parts/table/pages.ts';
import { TypedText } from '../../parts/TypedText.tsx';
import { UserLink } from '../../parts/UserLink.tsx';
import { versionText } from '../../parts/version.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { type DevicesSearch, deviceSorts } from '../searches.ts';

interface DevicesPart {
  applicationId: string;
  timeZone: string;
  search: DevicesSearch;
  /** Changes the URL. A change of anything but the page begins at the first page. */
  change: (change: Partial<DevicesSearch>, replace?: boolean) => void;
}

export function Devices() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/devices' });
  const navigate = useNavigate({ from: '/apps/$applicationId/devices' });
  const [ofUser, setOfUser] = useState(search.user !== undefined);
  const oneUser = search.user !== undefined || ofUser;
  const part: DevicesPart = {
    applicationId,
    timeZone,
    search,
    change: (next, replace = false) =>
      void navigate({ search: (last) => ({ ...last, after: undefined, ...next }), replace }),
  };
  return (
    <>
      <PageHead title="Devices" about={`The devices that have sent sessions. Times in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={search.test ?? false}
          onChange={({ target }) => part.change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Panel>
        <Stack gap="sm">
          <SegmentedControl
            size="xs"
            style={{ alignSelf: 'flex-start' }}
            aria-label="Which devices"
            value={oneUser ? 'user' : 'all'}
            onChange={(value) => {
              setOfUser(value === 'user');
              if (value === 'all' && search.user !== undefined) part.change({ user: undefined });
            }}
            data={[
              { value: 'all', label: 'All devices' },
              { value: 'user', label: 'Of one user' },
            ]}
          />
          {oneUser ? <DevicesOfUser {...part} /> : <AllDevices {...part} />}
        </Stack>
      </Panel>
    </>
  );
}

/** All devices that fit the search, the filters and the date, in the chosen order, page by page. */
function AllDevices(part: DevicesPart) {
  const { applicationId, timeZone, search, change } = part;
  const { filters = [], since, sort = 'LAST_SEEN', test, after } = search;
  const variables = useMemo(
    () => ({
      applicationId,
      search: search.search ?? null,
      filters: filters.length > 0 ? filters : null,
      activeSince: since === undefined ? null : dayStart(since, timeZone),
      sort,
      includeTest: test ?? false,
      after: after ?? null,
    }),
    [applicationId, search.search, filters, since, timeZone, sort, test, after],
  );
  const [result, read] = useQuery({ query: DevicesDocument, variables });
  const pages = usePages(after, (next) => change({ after: next }));
  const narrowed = search.search !== undefined || filters.length > 0 || since !== undefined;
  return (
    <>
      <Conditions {...part} />
      <Loaded result={result} pick={(data) => data.devices} retry={() => read({ requestPolicy: 'network-only' })}>
        {({ nodes, total, endCursor, hasMore, asOf }) => (
          <div>
            <DeviceTable
              applicationId={applicationId}
              timeZone={timeZone}
              caption="Devices"
              rows={nodes}
              asOf={asOf}
              sorting={{
                by: sort,
                descending: true,
                change: (by) => change({ sort: deviceSorts.find((name) => name === by) }),
              }}
              empty={
                narrowed ? (
                  <Empty title="No device fits">Search for less, or take a filter away.</Empty>
                ) : (
                  <Empty title="No devices yet">A device appears here after its first upload of sessions.</Empty>
                )
              }
            />
            <CursorPages
              one="device"
              many="devices"
              shown={nodes.length}
              reading={result.fetching}
              {...{ pages, total, endCursor, hasMore }}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Conditions({ applicationId, timeZone, search, change }: DevicesPart) {
  return (
    <Group gap="xs" align="end">
      <TypedText
        label="Device or user"
        placeholder="A part of the id, in upper or lower case"
        maxLength={256}
        w={320}
        value={search.search ?? ''}
        change={(text) => change({ search: text === '' ? undefined : text }, true)}
      />
      <TextInput
        size="xs"
        type="date"
        label={`Seen since (${timeZone})`}
        value={search.since ?? ''}
        onChange={({ target }) => change({ since: target.value === '' ? undefined : target.value })}
      />
      <FilterEditor
        applicationId={applicationId}
        scopes={['DEVICE', 'USER']}
        filters={search.filters ?? []}
        change={(next) => change({ filters: next.length > 0 ? next : undefined })}
      />
    </Group>
  );
}

/** The devices that belong or have belonged to one user of the app. */
function DevicesOfUser(part: DevicesPart) {
  const { search, change } = part;
  return (
    <>
      <TypedText
        label="User"
        placeholder="The whole id that your app gives the SDK"
        maxLength={256}
        w={320}
        value={search.user ?? ''}
        change={(text) => change({ user: text === '' ? undefined : text }, true)}
      />
      {search.user === undefined ? (
        <Empty title="Which user?">All devices that are or were this user’s appear here.</Empty>
      ) : (
        <Found {...part} user={search.user} />
      )}
    </>
  );
}

function Found({ applicationId, timeZone, search, change, user }: DevicesPart & { user: string }) {
  const { test, after } = search;
  const variables = { applicationId, userId: user, includeTest: test ?? false, after: after ?? null };
  const pages = usePages(after, (next) => change({ after: next }));
  const [result, read] = useQuery({ query: UserDevicesDocument, variables });
  return (
    <Loaded result={result} pick={(data) => data.userDevices} retry={() => read({ requestPolicy: 'network-only' })}>
      {({ nodes, total, endCursor, hasMore, asOf }) => (
        <div>
          <DeviceTable
            applicationId={applicationId}
            timeZone={timeZone}
            caption="Devices of the user, the one seen last first"
            rows={nodes}
            asOf={asOf}
            empty={<Empty title="No device of this user">Upper and lower case are different here.</Empty>}
          />
          <CursorPages
            one="device"
            many="devices"
            shown={nodes.length}
            reading={result.fetching}
            {...{ pages, total, endCursor, hasMore }}
          />
        </div>
      )}
    </Loaded>
  );
}

type ListedDevice = NonNullable<DevicesQuery['devices']>['nodes'][number];

interface DeviceTableProps {
  applicationId: string;
  timeZone: string;
  caption: string;
  rows: readonly ListedDevice[];
  asOf: string;
  sorting?: Sorting;
  empty: ReactNode;
}

/** Devices as a table: who, what, when, and how many sessions. */
function DeviceTable({ applicationId, timeZone, rows, asOf, ...table }: DeviceTableProps) {
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
