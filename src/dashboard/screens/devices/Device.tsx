// One device: who uses it, what it reported, and what happened on it.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useClient, useMutation, useQuery } from 'urql';
import {
  DeviceDocument,
  DeviceLastActivityDocument,
  type DeviceLastActivityQuery,
  type DeviceQuery,
  MarkTestDevicesDocument,
  TestDevicesDocument,
} from '../../../../generated/screens/devices/graphql.ts';
import { type ApiError, apiErrorOf } from '../../api/apiError.ts';
import { exactNumbers, jsonText } from '../../api/exactNumbers.ts';
import { Copy } from '../../parts/Copy.tsx';
import { DataTable } from '../../parts/DataTable.tsx';
import { count, countryName, time } from '../../parts/figures.ts';
import { textOf } from '../../parts/filters.ts';
import { Folded, GivenText, JsonText } from '../../parts/GivenText.tsx';
import { Columns, Facts, PageHead, Panel } from '../../parts/layout.tsx';
import { TextLink, UserLink } from '../../parts/links.tsx';
import { Allowed } from '../../parts/roles.tsx';
import { Empty, ErrorState, Loaded } from '../../parts/states.tsx';
import { versionText } from '../../parts/values.ts';
import { useApplication } from '../../session/me.ts';
import { Purchases } from './Purchases.tsx';
import { type DevicePart, None, Timeline } from './Timeline.tsx';

type SeenDevice = NonNullable<DeviceQuery['device']>;

export function Device() {
  const { applicationId, timeZone } = useApplication();
  const { id } = useSearch({ from: '/inside/apps/$applicationId/device' });
  return (
    <>
      <PageHead title="Device" about={`One device, as its uploads describe it. Times in ${timeZone}.`}>
        <TextLink to="/apps/$applicationId/devices" params={{ applicationId }}>
          All devices
        </TextLink>
      </PageHead>
      {id === undefined ? (
        <Empty title="Which device?">The address of this page names none. Choose one in the list of devices.</Empty>
      ) : (
        <One key={`${applicationId} ${id}`} applicationId={applicationId} timeZone={timeZone} id={id} />
      )}
    </>
  );
}

function One(part: DevicePart) {
  const { applicationId, id } = part;
  const [result, read] = useQuery({ query: DeviceDocument, variables: { applicationId, id }, context: exactNumbers });
  const pick = ({ device }: DeviceQuery): SeenDevice | 'none' => device ?? 'none';
  return (
    <Stack>
      <Copy value={id} label="the id of the device" block />
      <Loaded result={result} pick={pick} retry={() => read({ requestPolicy: 'network-only' })} lines={8}>
        {(device) => (device === 'none' ? <Unknown /> : <Known {...part} device={device} />)}
      </Loaded>
    </Stack>
  );
}

function Unknown() {
  return (
    <Empty title="Nothing of this device has arrived">
      Upper and lower case are different in the id of a device.
      <Text size="sm">A device that sends its first upload appears within seconds.</Text>
    </Empty>
  );
}

function Known({ device, ...part }: DevicePart & { device: SeenDevice }) {
  return (
    <>
      <About {...part} device={device} />
      <Columns widths={[3, 2]}>
        <Timeline {...part} userId={device.userId} />
        <Stack>
          <Properties {...part} title="Device properties" values={device.properties} none="No session has arrived." />
          <Properties {...part} title="User properties" values={device.userProperties} none="The app has set none." />
          <AttributionData {...part} attribution={device.attribution} />
        </Stack>
      </Columns>
      <Installs {...part} installs={device.installs} />
      <Purchases {...part} />
    </>
  );
}

/** Who uses the device, when it was seen, and whether it is a test device. */
function About({ applicationId, timeZone, id, device }: DevicePart & { device: SeenDevice }) {
  const { userId, firstSeenAt, lastSeenAt, sessionsCount } = device;
  return (
    <Panel title="About">
      <Facts
        beside
        facts={[
          {
            name: 'User',
            value:
              userId === null ? (
                'The app has set none.'
              ) : (
                <UserLink applicationId={applicationId} user={userId} whole />
              ),
          },
          { name: 'First seen', value: time(firstSeenAt, timeZone, 'full') },
          {
            name: 'Last activity',
            value: <LastActivity applicationId={applicationId} id={id} timeZone={timeZone} />,
          },
          {
            name: 'Last seen',
            value: <ClockTime at={time(lastSeenAt, timeZone, 'full')} clock="last upload, service’s clock" />,
          },
          { name: 'Sessions stored', value: count(sessionsCount) },
          { name: 'Test device', value: <TestDevice applicationId={applicationId} id={id} /> },
        ]}
      />
    </Panel>
  );
}

/** The time of the newest event, start or end in the device's newest session, by the clock of the timeline. */
function LastActivity({ applicationId, id, timeZone }: DevicePart) {
  const [{ data, fetching }] = useQuery({ query: DeviceLastActivityDocument, variables: { applicationId, id } });
  if (!data) return fetching ? '…' : '—';
  const newest = data.device?.sessions[0];
  if (!newest) return 'no session';
  return <ClockTime at={time(lastOf(newest), timeZone, 'full')} clock="newest session, device’s clock" />;
}

type Newest = NonNullable<DeviceLastActivityQuery['device']>['sessions'][number];

function lastOf({ startedAt, finishedAt, events }: Newest): string {
  const times = [startedAt, finishedAt ?? startedAt, ...events.map(({ timestamp }) => timestamp)];
  return times.reduce((last, at) => (Date.parse(at) > Date.parse(last) ? at : last));
}

interface TestDeviceProps {
  applicationId: string;
  id: string;
}

/** Whether the device is one of the application's test devices; admins change it and keep the others. */
function TestDevice({ applicationId, id }: TestDeviceProps) {
  const [result, read] = useQuery({ query: TestDevicesDocument });
  return (
    <Loaded
      result={result}
      pick={(data) => data.applications.find((application) => application.id === applicationId)?.testDevices}
      retry={() => read({ requestPolicy: 'network-only' })}
      lines={1}
    >
      {(testDevices) => <Mark applicationId={applicationId} id={id} isTest={testDevices.includes(id)} />}
    </Loaded>
  );
}

function Mark({ applicationId, id, isTest }: TestDeviceProps & { isTest: boolean }) {
  const { change, changing, error } = useMark(applicationId, id);
  return (
    <>
      <Group gap="xs">
        <span>{isTest ? 'Yes' : 'No'}</span>
        <Allowed least="admin" what="mark test devices">
          <Button size="compact-xs" variant="default" loading={changing} onClick={() => void change(!isTest)}>
            {isTest ? 'Unmark' : 'Mark as a test device'}
          </Button>
        </Allowed>
      </Group>
      <Text size="xs" c="dimmed">
        {isTest
          ? 'What it does stays out of all reports, unless they show test devices.'
          : 'What a test device does stays out of the reports.'}
      </Text>
      {error && <ErrorState error={error} />}
    </>
  );
}

/** Reads the list anew before each change, so that what a colleague has marked meanwhile stays. */
function useMark(applicationId: string, id: string) {
  const client = useClient();
  const [{ fetching }, send] = useMutation(MarkTestDevicesDocument);
  const [error, setError] = useState<ApiError | null>(null);
  const change = async (test: boolean): Promise<void> => {
    const now = await client.query(TestDevicesDocument, {}, { requestPolicy: 'network-only' }).toPromise();
    const others = now.data?.applications
      .find((application) => application.id === applicationId)
      ?.testDevices.filter((other) => other !== id);
    if (!others) {
      setError(apiErrorOf(now.error));
      return;
    }
    const result = await send({ applicationId, testDevices: test ? [...others, id] : others });
    setError(apiErrorOf(result.error));
  };
  return { change, changing: fetching, error };
}

interface PropertiesProps extends DevicePart {
  title: string;
  values: unknown;
  /** Why there are none. */
  none: string;
}

/** The properties of the device or of its user, each with its value. */
function Properties({ title, values, none, timeZone }: PropertiesProps) {
  const given = Object.entries((values ?? {}) as Record<string, unknown>);
  const rows = given.sort(([one], [other]) => (one < other ? -1 : 1));
  return (
    <Panel title={title}>
      <DataTable
        caption={`${title} with their values`}
        rows={rows}
        rowKey={([name]) => name}
        empty={<None>{none}</None>}
        columns={[
          {
            key: 'name',
            head: 'Property',
            wrap: true,
            style: { width: '60%' },
            cell: ([name]) => <GivenText text={name} />,
          },
          {
            key: 'value',
            head: 'Value',
            wrap: true,
            cell: ([name, value]) => <Value name={name} value={value} timeZone={timeZone} />,
          },
        ]}
      />
    </Panel>
  );
}

interface ValueProps {
  name: string;
  value: unknown;
  timeZone: string;
}

function Value(props: ValueProps) {
  const hint = hintOf(props);
  return (
    <>
      {props.value === null ? (
        <Text span size="sm" c="dimmed">
          not reported
        </Text>
      ) : (
        <Folded text={shown(props.value)} />
      )}
      {hint !== null && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
    </>
  );
}

/** As a filter takes it: a text that looks like a number has quotes. */
function shown(value: unknown): string {
  const exact = jsonText(value);
  return typeof value === 'string' && exact.startsWith('"') ? textOf(value) : exact;
}

/** What people read in a value of the public API. */
function hintOf({ name, value, timeZone }: ValueProps): string | null {
  if (typeof value === 'number' && name.endsWith('VersionNormalized')) {
    const version = versionText(value);
    return version === String(value) ? null : `as a version: ${version}`;
  }
  if (name === 'installDatetime' && typeof value === 'number') return time(value * 1_000, timeZone, 'full');
  if (name === 'country' && typeof value === 'string' && countryName(value) !== value) return countryName(value);
  return null;
}

const providers: Record<string, string> = {
  provider_a: 'Provider A',
  store_search_ads: 'Store search ads',
  provider_b: 'Provider B',
  custom: 'Custom',
};

/** What the attribution providers said of the install, the latest of each. */
function AttributionData({ timeZone, attribution }: DevicePart & { attribution: SeenDevice['attribution'] }) {
  return (
    <Panel title="Attribution">
      {attribution.length === 0 && <None>No provider’s data has arrived.</None>}
      <Stack gap="sm">
        {attribution.map(({ provider, payload, receivedAt }) => (
          <div key={provider}>
            <Text size="sm" fw={600}>
              {providers[provider] ?? provider}
            </Text>
            <Text size="xs" c="dimmed" className="figure">
              Arrived {time(receivedAt, timeZone, 'full')}
            </Text>
            <JsonText value={payload} />
          </div>
        ))}
      </Stack>
    </Panel>
  );
}

/** The installations of the app that have reported under the device's id. */
function Installs({ timeZone, installs }: DevicePart & { installs: SeenDevice['installs'] }) {
  return (
    <Panel title="Installs">
      <DataTable
        caption="Installs in the order in which they were first seen"
        rows={installs}
        rowKey={({ vendorIdentifier, installedAt }) => `${installedAt} ${vendorIdentifier}`}
        empty={<None>No upload of sessions has named an installation.</None>}
        columns={[
          { key: 'at', head: 'Installed (its clock)', cell: ({ installedAt }) => time(installedAt, timeZone) },
          {
            key: 'vendor',
            head: 'Vendor identifier',
            cell: ({ vendorIdentifier }) => <GivenText text={vendorIdentifier} cut />,
          },
          { key: 'first', head: 'First seen', cell: ({ firstSeenAt }) => time(firstSeenAt, timeZone) },
          { key: 'last', head: 'Last seen', cell: ({ lastSeenAt }) => time(lastSeenAt, timeZone) },
        ]}
      />
    </Panel>
  );
}

/** A time of the device with the clock that it is by: the device’s and the service’s may differ. */
function ClockTime({ at, clock }: { at: string; clock: string }) {
  return (
    <>
      {at}
      <Text size="xs" c="dimmed">
        {clock}
      </Text>
    </>
  );
}
