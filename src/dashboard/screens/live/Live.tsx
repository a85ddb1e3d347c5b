// Events as they arrive, newest first, and refused uploads, read anew every two seconds.
import { Badge, Group, Stack, Switch, Text } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import {
  LiveEventsDocument,
  LiveIssuesDocument,
  type LiveEventsQuery,
  type LiveIssuesQuery,
} from '../../../../generated/screens/live/graphql.ts';
import { FilterEditor } from '../../parts/filters/FilterEditor.tsx';
import { count, time, today } from '../../parts/figures.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Live.module.css';

const everyMillis = 2_000;

export function Live() {
  const { applicationId, timeZone } = useApplication();
  const { filters = [], test = false } = useSearch({ from: '/inside/apps/$applicationId/live' });
  const navigate = useNavigate({ from: '/apps/$applicationId/live' });
  const [running, setRunning] = useState(true);
  const variables = { applicationId, filters: filters.length > 0 ? filters : null, includeTest: test, limit: 50 };
  const [events, readEvents] = useQuery({ query: LiveEventsDocument, variables });
  const day = { from: today(timeZone, -1), to: today(timeZone) };
  const [issues, readIssues] = useQuery({ query: LiveIssuesDocument, variables: { applicationId, ...day } });
  useRepeated(running, () => {
    readEvents({ requestPolicy: 'network-only' });
    readIssues({ requestPolicy: 'network-only' });
  });
  return (
    <>
      <PageHead title="Live" about={`Events as they arrive and refused uploads. Times in ${timeZone}.`}>
        <Switch
          label="Test devices"
          checked={test}
          onChange={({ target }) =>
            void navigate({ search: (last) => ({ ...last, test: target.checked || undefined }) })
          }
        />
        <Switch label="Running" checked={running} onChange={({ target }) => setRunning(target.checked)} />
      </PageHead>
      <Stack>
        <FilterEditor
          applicationId={applicationId}
          filters={filters}
          change={(next) =>
            void navigate({ search: (last) => ({ ...last, filters: next.length > 0 ? next : undefined }) })
          }
        />
        <div className={classes.columns}>
          <Panel title="Events">
            <Loaded result={events} pick={(data) => data.recentEvents} retry={readEvents}>
              {({ nodes }) => <Events nodes={nodes} timeZone={timeZone} />}
            </Loaded>
          </Panel>
          <Panel title="Refused uploads since yesterday">
            <Loaded result={issues} pick={(data) => data.ingestIssues} retry={readIssues}>
              {({ nodes }) => <Issues nodes={nodes} timeZone={timeZone} />}
            </Loaded>
          </Panel>
        </div>
      </Stack>
    </>
  );
}

/** Not while the tab is in the background. */
function useRepeated(running: boolean, read: () => void): void {
  useEffect(() => {
    if (!running) return;
    const timer = setInterval(() => document.visibilityState === 'visible' && read(), everyMillis);
    return () => clearInterval(timer);
  });
}

type Event = NonNullable<LiveEventsQuery['recentEvents']>['nodes'][number];

function Events({ nodes, timeZone }: { nodes: Event[]; timeZone: string }) {
  const columns: Column<Event>[] = [
    { key: 'at', head: 'Arrived', cell: ({ receivedAt }) => time(receivedAt, timeZone, 'second') },
    {
      key: 'name',
      head: 'Event',
      title: ({ name }) => name,
      cell: ({ name, type }) => (
        <Group gap={6} wrap="nowrap">
          <Text size="sm" truncate>
            {name}
          </Text>
          {type === 'SYSTEM' && (
            <Badge size="xs" variant="default">
              SDK
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'device', head: 'Device', title: ({ deviceId }) => deviceId, cell: ({ deviceId }) => deviceId },
    { key: 'params', head: 'Parameters', title: ({ params }) => text(params), cell: ({ params }) => text(params) },
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
    { key: 'last', head: 'Last', cell: ({ lastAt }) => time(lastAt, timeZone, 'second') },
    { key: 'count', head: 'Uploads', numeric: true, cell: (issue) => count(issue.count) },
    { key: 'status', head: 'Status', numeric: true, cell: ({ status }) => status },
    { key: 'reason', head: 'Reason', cell: ({ reason }) => reason },
    { key: 'path', head: 'At', title: ({ samplePath }) => samplePath, cell: ({ path }) => path },
    {
      key: 'message',
      head: 'Message',
      title: ({ sampleMessage }) => sampleMessage,
      cell: ({ sampleMessage }) => sampleMessage,
    },
    { key: 'sdk', head: 'SDK', numeric: true, cell: ({ sdkVersion }) => sdkVersion ?? '—' },
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
