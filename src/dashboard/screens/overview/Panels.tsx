// What the overview shows beside the activity: events, campaigns, refused uploads and quotas.
import { Text } from '@mantine/core';
import { useQuery } from 'urql';
import {
  OverviewCampaignsDocument,
  OverviewEventsDocument,
  OverviewIssuesDocument,
  OverviewNamesDocument,
  OverviewQuotasDocument,
  type EventSeriesInput,
  type OverviewCampaignsQuery,
  type OverviewIssuesQuery,
  type OverviewNamesQuery,
  type OverviewQuotasQuery,
} from '../../../../generated/screens/overview/graphql.ts';
import type { Behind } from '../../parts/BehindDrawer.tsx';
import { DataTable, type Column } from '../../parts/DataTable.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { CampaignLink } from '../../parts/MoveCampaign.tsx';
import { count, size, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/layout.tsx';
import { FigureButton, TextLink } from '../../parts/links.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useApplication } from '../../session/me.ts';

/** Half a page has little room beside long names. */
const nameStyle = { maxWidth: 'clamp(8rem, 22vw, 16rem)' };

interface TopEventsProps {
  range: {
    applicationId: string;
    from: string;
    to: string;
    unit: 'DEVICE' | 'USER';
    includeTest: boolean;
  };
  open: (behind: Behind) => void;
}

export function TopEvents({ range, open }: TopEventsProps) {
  const { applicationId, includeTest, from, to, unit } = range;
  const [names, reread] = useQuestion({ query: OverviewNamesDocument, variables: { applicationId, includeTest } });
  return (
    <Panel
      title="Top events"
      actions={
        <TextLink to="/apps/$applicationId/events" params={{ applicationId }} search={{ from, to, unit }}>
          All events
        </TextLink>
      }
    >
      <Loaded result={names} pick={(data) => data.eventNames} retry={reread}>
        {({ nodes, hasMore }) => {
          const top = topNames(nodes);
          if (top.length === 0) {
            return <Empty title="No events yet">An event appears here once a device has sent it.</Empty>;
          }
          return (
            <>
              <Counted names={top} range={range} open={open} />
              <Text size="xs" c="dimmed" mt={4}>
                Numbers of this range, for the names with the most events of the last 30 days
                {hasMore && ' among the first 200 names'}.
              </Text>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

type Name = NonNullable<OverviewNamesQuery['eventNames']>['nodes'][number];

interface Row extends Name {
  total: number;
  index: number;
}

function Counted({ names, range, open }: TopEventsProps & { names: Name[] }) {
  const input: EventSeriesInput = {
    ...range,
    events: names.map(({ name, type }) => ({ name, type })),
    measure: 'COUNT',
    interval: 'MONTH',
  };
  const [result, reread] = useQuestion({ query: OverviewEventsDocument, variables: { input } });
  return (
    <Loaded result={result} pick={(data) => data.eventSeries} retry={reread}>
      {({ series }) => (
        <DataTable
          caption="Top events of the range"
          columns={columnsOf({ range, input, open })}
          rows={series
            .map(({ index, total }) => ({ ...names[index]!, index, total: total ?? 0 }))
            .sort((a, b) => b.total - a.total)}
          rowKey={({ name, type }) => `${type} ${name}`}
          empty={null}
        />
      )}
    </Loaded>
  );
}

function columnsOf({ range, input, open }: TopEventsProps & { input: EventSeriesInput }): Column<Row>[] {
  const { applicationId, from, to, unit } = range;
  const behind = ({ name, index }: Row): Behind => ({
    title: name,
    of: { eventSeries: input },
    point: { eventSeries: { series: index } },
  });
  return [
    {
      key: 'name',
      head: 'Event',
      style: nameStyle,
      cell: ({ name, type }) => (
        <TextLink
          to="/apps/$applicationId/events"
          params={{ applicationId }}
          search={{ events: [{ name, type }], from, to, unit }}
        >
          <GivenText text={name} cut />
        </TextLink>
      ),
    },
    { key: 'type', head: 'From', cell: ({ type }) => (type === 'SYSTEM' ? 'SDK' : 'app') },
    {
      key: 'total',
      head: 'Events',
      numeric: true,
      cell: (row) =>
        row.total === 0 ? (
          '0'
        ) : (
          <FigureButton label={`${count(row.total)}: ${row.name}, show the devices`} open={() => open(behind(row))}>
            {count(row.total)}
          </FigureButton>
        ),
    },
  ];
}

interface CountedName {
  name: string;
  type: 'CUSTOM' | 'SYSTEM';
  count30Days: number;
}

/** One question of `eventSeries` takes five events. */
const most = 5;

function topNames<Of extends CountedName>(names: readonly Of[]): Of[] {
  const byCount = [...names].sort((a, b) => b.count30Days - a.count30Days);
  const custom = byCount.filter(({ type }) => type === 'CUSTOM');
  // The SDK adds an EventTriggered to each event of the app, which would say the same twice.
  const system = byCount.filter(({ type, name }) => type === 'SYSTEM' && name !== 'EventTriggered');
  return [...custom, ...system].slice(0, most);
}

type Campaign = NonNullable<OverviewCampaignsQuery['campaigns']>[number];

/** The campaigns that run now, by their priority, with what devices have shown of them. */
export function RunningCampaigns() {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuestion({ query: OverviewCampaignsDocument, variables: { applicationId } });
  const columns: Column<Campaign>[] = [
    {
      key: 'name',
      head: 'Campaign',
      style: nameStyle,
      title: ({ name }) => name,
      cell: ({ id, name }) => <CampaignLink id={id} name={name} />,
    },
    { key: 'shown', head: 'Shown', numeric: true, cell: ({ stats }) => count(stats.shown) },
    { key: 'done', head: 'Completed', numeric: true, cell: ({ stats }) => count(stats.resolved.completed) },
    {
      key: 'end',
      head: 'Ends',
      cell: ({ schedule }) => (schedule?.endAt ? time(schedule.endAt, timeZone, 'hour') : 'no end'),
    },
  ];
  return (
    <Panel
      title="Campaigns running"
      actions={
        <TextLink to="/apps/$applicationId/campaigns" params={{ applicationId }}>
          All campaigns
        </TextLink>
      }
    >
      <Loaded result={result} pick={(data) => data} retry={reread}>
        {({ campaigns, active, scheduled }) => (
          <>
            <DataTable
              caption="Campaigns that run now, highest priority first"
              columns={columns}
              rows={campaigns}
              rowKey={({ id }) => id}
              empty={<Empty title="No campaign runs">A campaign runs once somebody activates it.</Empty>}
            />
            <Text size="xs" c="dimmed" mt={4}>
              {count(active)} running, {count(scheduled)} scheduled.{' '}
              {campaigns.length > 0 && `Shown and completed count since each began, times are in ${timeZone}.`}
            </Text>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const shown = 5;

/** The health of what arrives: uploads that the service refused in the range, by their reason. */
export function RefusedUploads({ from, to }: { from: string; to: string }) {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuestion({ query: OverviewIssuesDocument, variables: { applicationId, from, to } });
  const columns: Column<Refused>[] = [
    {
      key: 'reason',
      head: 'Reason',
      title: ({ reason }) => reason,
      // 0 is the line of all lines that a day keeps no more.
      cell: ({ status, reason }) => (status === 0 ? 'other reasons' : `${status} ${reason}`),
    },
    {
      key: 'path',
      head: 'At',
      style: nameStyle,
      title: ({ path }) => path,
      cell: ({ path }) => path || 'the whole request',
    },
    { key: 'count', head: 'Times', numeric: true, cell: (row) => count(row.count) },
    { key: 'last', head: 'Last', cell: ({ lastAt }) => time(lastAt, timeZone, 'hour') },
  ];
  return (
    <Panel
      title="Refused uploads"
      actions={
        <TextLink to="/apps/$applicationId/live" params={{ applicationId }}>
          Live
        </TextLink>
      }
    >
      <Loaded result={result} pick={(data) => data.ingestIssues} retry={reread}>
        {({ nodes, hasMore }) => {
          const rows = byReason(nodes);
          return (
            <>
              <DataTable
                caption="Refused uploads of the range, by reason and place"
                columns={columns}
                rows={rows.slice(0, shown)}
                rowKey={({ key }) => key}
                empty={
                  <Empty title="No refused uploads">None with a valid key in this range, of the last 90 days.</Empty>
                }
              />
              {rows.length > 0 && (
                <Text size="xs" c="dimmed" mt={4}>
                  {rows.length > shown && `${count(rows.length - shown)} more reasons. `}
                  {hasMore && 'The newest 200 lines are counted. '}
                  An upload counts once for each place. The service keeps 90 days. Times are in {timeZone}.
                </Text>
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

type Issue = NonNullable<OverviewIssuesQuery['ingestIssues']>['nodes'][number];

interface Refused extends Issue {
  key: string;
}

/** One line for each reason and place of the daily lines. The largest number first. */
function byReason(issues: readonly Issue[]): Refused[] {
  const rows = new Map<string, Refused>();
  for (const issue of issues) {
    const key = [issue.operation, issue.status, issue.reason, issue.path].join(' ');
    const row = rows.get(key);
    // Lines come with the newest `lastAt` first, which so stays.
    rows.set(key, row ? { ...row, count: row.count + issue.count } : { ...issue, key });
  }
  return [...rows.values()].sort((a, b) => b.count - a.count);
}

type Quota = OverviewQuotasQuery['applications'][number]['ingestQuotas'][number];

const requests: Record<string, string> = {
  reportSessions: 'Sessions',
  reportAttribution: 'Attribution',
  reportStoreTransactions: 'Purchases',
};

const columns: Column<Quota>[] = [
  {
    key: 'operation',
    head: 'Requests',
    title: ({ operation, signed }) => (signed ? `${operation}, signed` : operation),
    cell: ({ operation, signed }) => (signed ? 'Signed sessions' : (requests[operation] ?? operation)),
  },
  {
    key: 'bytes',
    head: 'Stored',
    numeric: true,
    title: ({ bytes }) => `${count(bytes)} bytes`,
    cell: ({ bytes, bytesPerHour }) => used(size(bytes), bytesPerHour && size(bytesPerHour)),
  },
  {
    key: 'devices',
    head: 'New devices',
    numeric: true,
    cell: ({ signed, newDevices, newDevicesPerHour }) =>
      signed ? '' : used(count(newDevices), newDevicesPerHour && count(newDevicesPerHour)),
  },
  { key: 'refused', head: 'Refused', numeric: true, cell: ({ refused }) => count(refused) },
  { key: 'day', head: 'In 24 hours', numeric: true, cell: ({ refusedInDay }) => count(refusedInDay) },
];

const used = (amount: string, most: string | number | null): string => (most ? `${amount} of ${most}` : amount);

const isOn = ({ bytesPerHour, newDevicesPerHour }: Quota): boolean =>
  bytesPerHour !== null || newDevicesPerHour !== null;

/** How much of its quotas the application has used in this hour, and what they refused; only where quotas are on. */
export function IngestQuotas() {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuery({ query: OverviewQuotasDocument });
  const pick = ({ applications }: OverviewQuotasQuery): Quota[] | undefined =>
    applications.find(({ id }) => id === applicationId)?.ingestQuotas;
  const quotas = result.data && pick(result.data);
  // Only the response says whether quotas are on: a panel that loads would go away where they are off.
  if (!result.error && !quotas?.some(isOn)) return null;
  return (
    <Panel title="Quotas">
      <Loaded result={result} pick={pick} retry={reread}>
        {(rows) => (
          <>
            <DataTable
              caption="Use of the quotas in this hour, by the kind of request"
              columns={columns}
              rows={rows}
              rowKey={({ operation, signed }) => `${operation} ${signed}`}
              empty={null}
            />
            <Text size="xs" c="dimmed" mt={4}>
              Since {time(rows[0]!.since, timeZone, 'hour')}, times are in {timeZone}. Signed sessions count with all
              that they bring, the others without a signature of devices that no signed upload has reported. Beyond a
              quota they get 503, and devices keep what was refused.
            </Text>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
