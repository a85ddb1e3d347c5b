// The events with the largest numbers, counted in the range; each opens its series, and its number the devices.
import { Text } from '@mantine/core';
import {
  OverviewEventsDocument,
  OverviewNamesDocument,
  type EventSeriesInput,
  type OverviewNamesQuery,
} from '../../../../generated/screens/overview/graphql.ts';
import type { Behind } from '../../parts/behind/BehindDrawer.tsx';
import { FigureButton } from '../../parts/behind/FigureButton.tsx';
import { count } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import classes from './Overview.module.css';
import { topNames } from './topEvents.ts';

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
      className: classes.name,
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
