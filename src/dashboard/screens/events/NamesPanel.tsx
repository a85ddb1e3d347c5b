// The names of the events that have arrived, with their parameters; each opens its series.
import { Drawer } from '@mantine/core';
import { useState } from 'react';
import { EventsNamesDocument, type EventsNamesQuery } from '../../../../generated/screens/events/graphql.ts';
import { DataTable, type Column } from '../../parts/DataTable.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { count, time } from '../../parts/figures.ts';
import { textOf } from '../../parts/filters.ts';
import { TypedText } from '../../parts/inputs.tsx';
import { Panel } from '../../parts/layout.tsx';
import { FigureButton, TextLink } from '../../parts/links.tsx';
import { usePages } from '../../parts/pages.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { Empty } from '../../parts/states.tsx';
import { useApplication } from '../../session/me.ts';
import { ResourceList } from '../ListScreen.tsx';
import type { EventsSearch } from '../searches.ts';

type Name = NonNullable<EventsNamesQuery['eventNames']>['nodes'][number];

interface NamesPanelProps {
  search: EventsSearch;
  change: (next: Partial<EventsSearch>) => void;
}

export function NamesPanel({ search: { names, after, test = false }, change }: NamesPanelProps) {
  const { applicationId, timeZone } = useApplication();
  const at = usePages(after, (next) => change({ after: next }));
  const [opened, open] = useState<Name | null>(null);
  const variables = { applicationId, search: names ?? null, includeTest: test, after: after ?? null };
  const [result, reread] = useQuestion({ query: EventsNamesDocument, variables });
  return (
    <Panel title="Event names">
      <TypedText
        label="Search for a name"
        maxLength={256}
        w={260}
        maw="100%"
        mb="sm"
        value={names ?? ''}
        change={(text) => change({ names: text === '' ? undefined : text, after: undefined })}
      />
      <ResourceList
        {...{ result }}
        read={reread}
        pick={(data) => data.eventNames}
        pages={result.data?.eventNames?.nodes.length ? { at, one: 'name', many: 'names' } : undefined}
        caption="Names of events"
        columns={columnsOf({ applicationId, timeZone, open })}
        rowKey={({ name, type }) => `${type} ${name}`}
        empty={
          names !== undefined ? (
            <Empty title="No name fits">Search for less of it.</Empty>
          ) : (
            <Empty title="No events yet">A name appears here once a device has sent it.</Empty>
          )
        }
      />
      <Drawer
        opened={opened !== null}
        onClose={() => open(null)}
        position="right"
        size="lg"
        title={`Parameters of ${opened?.name ?? ''}`}
      >
        {opened && <Parameters name={opened} />}
      </Drawer>
    </Panel>
  );
}

interface Shown {
  applicationId: string;
  timeZone: string;
  open: (name: Name) => void;
}

function columnsOf({ applicationId, timeZone, open }: Shown): Column<Name>[] {
  return [
    {
      key: 'name',
      head: 'Name',
      style: { maxWidth: 'clamp(7rem, 34vw, 24rem)' },
      cell: ({ name, type }) => (
        <TextLink
          to="/apps/$applicationId/events"
          params={{ applicationId }}
          // The range and the search stay; the rest is of another event.
          search={({ from, to, interval, unit, test, names, after }) => ({
            ...{ from, to, interval, unit, test, names, after },
            events: [{ name, type }],
          })}
        >
          <GivenText text={name} cut />
        </TextLink>
      ),
    },
    { key: 'type', head: 'From', cell: ({ type }) => (type === 'SYSTEM' ? 'SDK' : 'app') },
    { key: 'count', head: 'Last 30 days', numeric: true, cell: ({ count30Days }) => count(count30Days) },
    {
      key: 'params',
      head: 'Parameters',
      numeric: true,
      cell: (one) =>
        one.params.length === 0 ? (
          '0'
        ) : (
          <FigureButton
            label={`${count(one.params.length)}: show the parameters of ${one.name}`}
            open={() => open(one)}
          >
            {count(one.params.length)}
          </FigureButton>
        ),
    },
    { key: 'last', head: `Last (${timeZone})`, cell: ({ lastSeenAt }) => time(lastSeenAt, timeZone) },
    { key: 'first', head: 'First', cell: ({ firstSeenAt }) => time(firstSeenAt, timeZone, 'date') },
  ];
}

function Parameters({ name: { params } }: { name: Name }) {
  const columns: Column<Name['params'][number]>[] = [
    { key: 'name', head: 'Parameter', cell: ({ name }) => <GivenText text={name} cut /> },
    { key: 'types', head: 'Types', cell: ({ types }) => types.map((type) => type.toLowerCase()).join(', ') },
    {
      key: 'examples',
      head: 'Frequent values',
      wrap: true,
      cell: ({ examples }) => (
        <GivenText text={examples.map((value) => textOf(value as string | number | boolean)).join(', ')} />
      ),
    },
  ];
  return (
    <DataTable
      caption="Parameters of the newest events"
      columns={columns}
      rows={params}
      rowKey={({ name }) => name}
      empty={null}
    />
  );
}
