// The projects and applications of the organization.
import { Anchor, Stack } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty } from '../../parts/states.tsx';
import { DataTable } from '../../parts/table/DataTable.tsx';
import { useMe } from '../../session/me.ts';

export function Applications() {
  const { organization } = useMe();
  const projects = organization.projects ?? [];
  return (
    <>
      <PageHead title="Applications" about={`Projects and applications of ${organization.name}.`} />
      <Stack>
        {projects.map((project) => (
          <Panel key={project.id} title={project.name}>
            <DataTable
              caption={`Applications of ${project.name}`}
              rows={project.applications ?? []}
              rowKey={({ id }) => id}
              empty={<Empty title="No applications yet" />}
              columns={[
                {
                  key: 'name',
                  head: 'Name',
                  cell: ({ id, name }) => (
                    <Anchor component={Link} to={`/apps/${id}/first-event`} size="sm">
                      {name}
                    </Anchor>
                  ),
                },
                { key: 'platform', head: 'Platform', cell: ({ platform }) => platform },
                { key: 'zone', head: 'Time zone', cell: ({ timeZone }) => timeZone },
              ]}
            />
          </Panel>
        ))}
      </Stack>
    </>
  );
}
