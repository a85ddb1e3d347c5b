// One project with its applications.
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ApplicationsListQuery } from '../../../../generated/screens/applications/graphql.ts';
import { time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';

export type ListedProject = ApplicationsListQuery['projects'][number];
type Application = NonNullable<ListedProject['applications']>[number];

const screens = [
  ['Settings', 'settings'],
  ['Keys', 'keys'],
  ['First event', 'first-event'],
] as const;

const columns: Column<Application>[] = [
  {
    key: 'name',
    head: 'Name',
    title: ({ name }) => name,
    cell: ({ id, name }) => (
      <Anchor component={Link} to={`/apps/${id}/live`} size="sm">
        {name}
      </Anchor>
    ),
  },
  { key: 'platform', head: 'Platform', cell: ({ platform }) => platform },
  { key: 'bundle', head: 'Identifier', title: ({ bundleId }) => bundleId, cell: ({ bundleId }) => bundleId },
  { key: 'zone', head: 'Time zone', cell: ({ timeZone }) => timeZone },
  {
    key: 'created',
    head: 'Created',
    title: ({ createdAt, timeZone }) => `${time(createdAt, timeZone)} (${timeZone})`,
    cell: ({ createdAt, timeZone }) => time(createdAt, timeZone, 'date'),
  },
  ...screens.map(([label, path]) => ({
    key: path,
    head: label,
    cell: ({ id, name }: Application) => (
      <Anchor component={Link} to={`/apps/${id}/${path}`} size="sm" aria-label={`${label} of ${name}`}>
        Open
      </Anchor>
    ),
  })),
];

export function ProjectPanel({ project, actions }: { project: ListedProject; actions: ReactNode }) {
  return (
    <Panel title={project.name} actions={actions}>
      <DataTable
        caption={`Applications of ${project.name}`}
        rows={project.applications ?? []}
        rowKey={({ id }) => id}
        empty={<Empty title="No applications yet" />}
        columns={columns}
      />
    </Panel>
  );
}
