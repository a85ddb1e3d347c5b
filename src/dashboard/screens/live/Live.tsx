// Events as they arrive, newest first, and refused uploads, read anew every two seconds.
import { Badge, Group, Stack, Switch, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import {
  LiveEventsDocument,
  type LiveEventsQuery,
  LiveIssuesDocument,
  type LiveIssuesQuery,
} from '../../../../generated/screens/live/graphql.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { count, time, today } from '../../parts/figures.ts';
import { FilterEditor } from '../../parts/FilterEditor.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { Columns, PageHead, Panel } from '../../parts/layout.tsx';
import { DeviceLink } from '../../parts/links.tsx';
import { useReread } from '../../parts/queries.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { versionText } from '../../parts/values.ts';
import { useApplication } from '../../session/me.ts';

const everyMillis = 2_000;
const most = 50;

export function Live() {
  const { applicationId, timeZone, search, change } = useAddress('/apps/$applicationId/live');
  const { filters = [], test = false } = search;
  const [running, setRunning] = useState(true);
  const variables = { applicationId, filters: filters.length > 0 ? filters : null, includeTest: test, limit: most };
  const [events, readEvents] = useQuery({ query: LiveEventsDocument, variables });
  const day = { from: today(timeZone, -1), to: today(timeZone) };
  const [issues, readIssues] = useQuery({ query: LiveIssuesDocument, variables: { applicationId, ...day } });
  const turnMillis = running ? everyMillis : null;
  useReread(events, readEvents, turnMillis);
  useReread(issues, readIssues, turnMillis);
  return (
    <>
      <PageHead title="Live" about={`Events as they arrive and refused uploads. Times in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
        <Switch label="Running" checked={running} onChange={({ target }) => setRunning(target.checked)} />
      </PageHead>
      <Stack>
        <FilterEditor
          applicationId={applicationId}
          filters={filters}
          change={(next) => change({ filters: next.length > 0 ? next : undefined })}
        />
        <Columns widths={[2, 1]}>
          <Panel title="Events">
            <Loaded result={events} pick={(data) => data.recentEvents} retry={readEvents}>
              {({ nodes, asOf }) => (
                <>
                  <Events nodes={nodes} timeZone={timeZone} />
                  {nodes.length > 0 && (
                    <Text size="xs" c="dimmed" mt={4} className="figure">
                      {nodes.length < most ? count(nodes.length) : `The newest ${most}`}{' '}
                      {nodes.length === 1 ? 'event' : 'events'}, as of {time(asOf, timeZone, 'second')}
                    </Text>
                  )}
                </>
              )}
            </Loaded>
          </Panel>
          <Panel title="Refused uploads since yesterday">
            <Loaded result={issues} pick={(data) => data.ingestIssues} retry={readIssues}>
              {({ nodes }) => <Issues nodes={nodes} timeZone={timeZone} />}
            </Loaded>
          </Panel>
        </Columns>
      </Stack>
    </>
  );
}

type Event = NonNullable<LiveEventsQuery['recentEvents']>['nodes'][number];

function Events({ nodes, timeZone }: { nodes: Event[]; timeZone: string }) {
  const { applicationId } = useApplication();
  const columns: Column<Event>[] = [
    { key: 'at', head: 'Arrived', cell: ({ receivedAt }) => time(receivedAt, timeZone, 'second') },
    {
      key: 'name',
      head: 'Event',
      style: { maxWidth: '14rem' },
      cell: ({ name, type }) => (
        <Group gap={6} wrap="nowrap">
          <GivenText text={name} cut />
          {type === 'SYSTEM' && (
            <Badge size="xs" variant="default" flex="none">
              SDK
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'device',
      head: 'Device',
      style: { maxWidth: '12rem' },
      cell: ({ deviceId }) => <DeviceLink applicationId={applicationId} id={deviceId} />,
    },
    {
      key: 'params',
      head: 'Parameters',
      style: { maxWidth: '16rem' },
      cell: ({ params }) => (text(params) === '' ? '' : <GivenText text={text(params)} cut />),
    },
  ];
  const key = ({ deviceId, sessionId, name, timestamp, receivedAt }: Event) =>
    [deviceId, sessionId, name, timestamp, receivedAt].join(' ');
  return (
    <DataTable
      caption="Events, newest first"
      columns={columns}
      rows={nodes}
      rowKey={(event) => `${key(event)} ${nodes.indexOf(event)}`}
      empty={<Empty title="No events yet">They appear here within seconds after a device sends them.</Empty>}
    />
  );
}

const text = (params: unknown): string => {
  const shown = JSON.stringify(params);
  return shown === '{}' ? '' : shown;
};

type Issue = NonNullable<LiveIssuesQuery['ingestIssues']>['nodes'][number];

function Issues({ nodes, timeZone }: { nodes: Issue[]; timeZone: string }) {
  const columns: Column<Issue>[] = [
    { key: 'count', head: 'Uploads', numeric: true, cell: (issue) => count(issue.count) },
    { key: 'why', head: 'Why', wrap: true, cell: (issue) => <Why issue={issue} timeZone={timeZone} /> },
  ];
  return (
    <DataTable
      caption="Refused uploads, by their reason"
      columns={columns}
      rows={nodes}
      rowKey={({ day, operation, reason, path, sdkVersion, appVersion }) =>
        [day, operation, reason, path, sdkVersion, appVersion].join(' ')
      }
      empty={<Empty title="No refused uploads">The SDKs send what the API takes.</Empty>}
    />
  );
}

/** `path` has `[]` for any index; the title has the indexes of one upload. */
function Why({ issue, timeZone }: { issue: Issue; timeZone: string }) {
  const { status, reason, path, samplePath, sampleMessage, lastAt, sdkVersion } = issue;
  return (
    <>
      <Text size="sm" title={samplePath}>
        {status} {reason}
        {path === '' ? '' : ` at ${path}`}
      </Text>
      <Text size="sm">{sampleMessage}</Text>
      <Text size="xs" c="dimmed" className="figure">
        Last {time(lastAt, timeZone, 'second')}
        {sdkVersion === null ? '' : `, SDK ${versionText(sdkVersion)}`}
      </Text>
    </>
  );
}
