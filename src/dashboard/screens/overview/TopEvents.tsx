// The events with the largest numbers, counted in the range; each opens its series, and its number the devices.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from 'urql';
import {
  OverviewEventsDocument,
  OverviewNamesDocument,
  type EventSeriesInput,
  type OverviewNamesQuery,
} from '../../../../generated/screens/overview/graphql.ts';
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import { FigureButton } from '../../parts/behind/FigureButton.tsx';
import { count } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { topNames } from './topEvents.ts';

type Range = Pick<EventSeriesInput, 'applicationId' | 'from' | 'to' | 'unit' | 'includeTest'>;

interface TopEventsProps {
  range: Range;
  open: (behind: Behind) => void;
}

export function TopEvents({ range, open }: TopEventsProps) {
  const { applicationId, includeTest } = range;
  const variables = { applicationId, includeTest: includeTest ?? false };
  const [names, reread] = useQuery({ query: OverviewNamesDocument, variables });
  return (
    <Panel
      title="Top events"
      actions={
        <Anchor component={Link} to={`/apps/${applicationId}/events`} size="sm">
          All events
        </Anchor>
      }
    >
      <Loaded result={names} pick={(data) => data.eventNames} retry={reread}>
        {({ nodes, hasMore }) => {
          const top = topNames(nodes);
          if (top.length === 0) {
            return <Empty title="No events yet">The app records them with the SDK&apos;s track.</Empty>;
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
  const [result, reread] = useQuery({ query: OverviewEventsDocument, variables: { input } });
  const columns: Column<Row>[] = [
    {
      key: 'name',
      head: 'Event',
      title: ({ name }) => name,
      cell: ({ name, type }) => (
        <Anchor
          component={Link}
          to={`/apps/${range.applicationId}/events`}
          search={{ events: [{ name, type }], from: range.from, to: range.to, unit: range.unit } as never}
          size="sm"
        >
          {name}
        </Anchor>
      ),
    },
    { key: 'type', head: 'From', cell: ({ type }) => (type === 'SYSTEM' ? 'SDK' : 'app') },
    {
      key: 'total',
      head: 'Events',
      numeric: true,
      cell: ({ name, total, index }) => (
        <FigureButton
          label={`${count(total)}: ${name}`}
          open={() =>
            open({ title: name, of: { eventSeries: input }, point: { eventSeries: { series: index, start: null } } })
          }
        >
          {count(total)}
        </FigureButton>
      ),
    },
  ];
  return (
    <Loaded result={result} pick={(data) => data.eventSeries} retry={reread}>
      {({ series }) => (
        <DataTable
          caption="Top events of the range"
          columns={columns}
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
