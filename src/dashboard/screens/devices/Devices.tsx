// The devices of an application: found by their id, their user, their properties or when they were seen.
import { Group, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useQuery, type UseQueryExecute, type UseQueryState } from 'urql';
import {
  DevicesDocument,
  type DevicesQuery,
  UserDevicesDocument,
} from '../../../../generated/screens/devices/graphql.ts';
import type { Column, Sorting } from '../../parts/DataTable.tsx';
import { count, countryName, time } from '../../parts/figures.ts';
import { FilterEditor } from '../../parts/FilterEditor.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { TypedText } from '../../parts/inputs.tsx';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { DeviceLink, UserLink } from '../../parts/links.tsx';
import { usePages } from '../../parts/pages.tsx';
import { dayStart } from '../../parts/range.ts';
import { Empty } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { versionText } from '../../parts/values.ts';
import { useApplication } from '../../session/me.ts';
import { ResourceList } from '../ListScreen.tsx';
import { deviceSorts, type DevicesSearch } from '../searches.ts';

export function Devices() {
  const { timeZone, search, change: changeAll } = useAddress('/apps/$applicationId/devices');
  const [ofUser, setOfUser] = useState(search.user !== undefined);
  const oneUser = search.user !== undefined || ofUser;
  const change: Change = (next, replace) => changeAll({ after: undefined, ...next }, replace);
  return (
    <>
      <PageHead title="Devices" about={`The devices that have sent sessions. Times in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={search.test ?? false}
          onChange={({ target }) => change({ test: target.checked || undefined })}
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
              if (value === 'all' && search.user !== undefined) change({ user: undefined });
            }}
            data={[
              { value: 'all', label: 'All devices' },
              { value: 'user', label: 'Of one user' },
            ]}
          />
          {oneUser ? <DevicesOfUser {...{ search, change }} /> : <AllDevices {...{ search, change }} />}
        </Stack>
      </Panel>
    </>
  );
}

/** Changes the URL. A change of anything but the page begins at the first page. */
type Change = (change: Partial<DevicesSearch>, replace?: boolean) => void;

interface DevicesPart {
  search: DevicesSearch;
  change: Change;
}

/** All devices that fit the search, the filters and the date, in the chosen order. */
function AllDevices({ search, change }: DevicesPart) {
  const { applicationId, timeZone } = useApplication();
  const { filters = [], since, sort = 'LAST_SEEN', test = false, after } = search;
  const [result, read] = useQuery({
    query: DevicesDocument,
    variables: {
      applicationId,
      search: search.search ?? null,
      filters: filters.length > 0 ? filters : null,
      activeSince: since === undefined ? null : dayStart(since, timeZone),
      sort,
      includeTest: test,
      after: after ?? null,
    },
  });
  const narrowed = search.search !== undefined || filters.length > 0 || since !== undefined;
  return (
    <>
      <Conditions {...{ search, change }} />
      <DeviceList
        {...{ search, change, result, read }}
        pick={(data) => data.devices}
        caption="Devices"
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
    </>
  );
}

function Conditions({ search, change }: DevicesPart) {
  const { applicationId, timeZone } = useApplication();
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
function DevicesOfUser({ search, change }: DevicesPart) {
  const { applicationId } = useApplication();
  const { user, test = false, after } = search;
  const [result, read] = useQuery({
    query: UserDevicesDocument,
    variables: { applicationId, userId: user ?? '', includeTest: test, after: after ?? null },
    pause: user === undefined,
  });
  return (
    <>
      <TypedText
        label="User"
        placeholder="The whole id that your app gives the SDK"
        maxLength={256}
        w={320}
        value={user ?? ''}
        change={(text) => change({ user: text === '' ? undefined : text }, true)}
      />
      {user === undefined ? (
        <Empty title="Which user?">All devices that are or were this user’s appear here.</Empty>
      ) : (
        <DeviceList
          {...{ search, change, result, read }}
          pick={(data) => data.userDevices}
          caption="Devices of the user, the one seen last first"
          empty={<Empty title="No device of this user">Upper and lower case are different here.</Empty>}
        />
      )}
    </>
  );
}

type ListedDevices = NonNullable<DevicesQuery['devices']>;
type ListedDevice = ListedDevices['nodes'][number];

interface DeviceListProps<Data> extends DevicesPart {
  result: UseQueryState<Data>;
  read: UseQueryExecute;
  pick: (data: Data) => ListedDevices | null | undefined;
  caption: string;
  sorting?: Sorting;
  empty: ReactNode;
}

function DeviceList<Data>({ search, change, pick, read, ...list }: DeviceListProps<Data>) {
  const { applicationId, timeZone } = useApplication();
  const at = usePages(search.after, (next) => change({ after: next }));
  return (
    <ResourceList
      {...list}
      read={() => read({ requestPolicy: 'network-only' })}
      lines={4}
      pick={pick}
      pages={{ at, one: 'device', many: 'devices' }}
      columns={columnsOf(applicationId, timeZone)}
      rowKey={({ id }) => id}
      foot={(rows, data) =>
        rows.length > 0 && (
          <Text size="xs" c="dimmed" mt={4} className="figure">
            As of {time(pick(data)!.asOf, timeZone, 'second')}
          </Text>
        )
      }
    />
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
