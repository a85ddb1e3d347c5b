// The projects and applications of the organization: create, rename, delete.
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { ApplicationsListDocument, ProjectDeleteDocument } from '../../../../generated/screens/applications/graphql.ts';
import { Allowed, useMay } from '../../parts/access.tsx';
import { ConfirmedMutation } from '../../parts/ConfirmedMutation.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useMe } from '../../session/me.ts';
import { workspaceContext, workspaceTypes } from './changes.ts';
import { NewApplication } from './NewApplication.tsx';
import { ProjectForm } from './ProjectForm.tsx';
import { ProjectPanel, type ListedProject } from './ProjectPanel.tsx';
import { RemovedWithApplication } from './RemovedWithApplication.tsx';

/** What is open above the list. */
type Open = { what: 'new project' } | { what: 'application' | 'rename' | 'delete'; project: ListedProject } | null;

export function Applications() {
  const { organization } = useMe();
  const mayEdit = useMay('admin');
  const [result, read] = useQuery({ query: ApplicationsListDocument, context: workspaceContext });
  const [open, setOpen] = useState<Open>(null);
  return (
    <>
      <PageHead title="Applications" about={`Projects and applications of ${organization.name}.`}>
        {mayEdit && (
          <Button variant="default" size="sm" onClick={() => setOpen({ what: 'new project' })}>
            New project
          </Button>
        )}
      </PageHead>
      <Stack>
        {!mayEdit && (
          <Allowed least="admin" what="create, edit and delete projects and applications">
            {null}
          </Allowed>
        )}
        <Loaded result={result} pick={({ projects }) => projects} retry={read}>
          {(projects) => <Projects projects={projects} open={setOpen} />}
        </Loaded>
      </Stack>
      <Dialogs open={open} close={() => setOpen(null)} />
    </>
  );
}

function Projects({ projects, open }: { projects: ListedProject[]; open: (what: Open) => void }) {
  const { organization } = useMe();
  const mayEdit = useMay('admin');
  if (projects.length === 0) {
    return mayEdit ? (
      <Panel title="Create your first application">
        <NewApplication project={null} organization={organization.name} />
      </Panel>
    ) : (
      <Empty title="No applications yet">An admin creates the first one here.</Empty>
    );
  }
  return projects.map((project) => (
    <ProjectPanel
      key={project.id}
      project={project}
      actions={
        mayEdit && (
          <Group gap="xs">
            <Action label="New application" name={project.name} run={() => open({ what: 'application', project })} />
            <Action label="Rename" name={project.name} run={() => open({ what: 'rename', project })} />
            <Action label="Delete" name={project.name} run={() => open({ what: 'delete', project })} />
          </Group>
        )
      }
    />
  ));
}

function Action({ label, name, run }: { label: string; name: string; run: () => void }) {
  return (
    <Button size="compact-sm" variant="default" onClick={run} aria-label={`${label}: ${name}`}>
      {label}
    </Button>
  );
}

function Dialogs({ open, close }: { open: Open; close: () => void }) {
  const { organization } = useMe();
  const project = open && 'project' in open ? open.project : null;
  const deleted = open?.what === 'delete' ? project : null;
  return (
    <>
      <Modal opened={open?.what === 'application'} onClose={close} title={`New application in ${project?.name}`}>
        <NewApplication project={project} organization={organization.name} />
      </Modal>
      <Modal opened={open?.what === 'rename'} onClose={close} title="Rename the project">
        <ProjectForm project={project} done={close} />
      </Modal>
      <Modal opened={open?.what === 'new project'} onClose={close} title="New project">
        <ProjectForm project={null} done={close} />
      </Modal>
      <ConfirmedMutation
        document={ProjectDeleteDocument}
        variables={deleted && { id: deleted.id }}
        changes={workspaceTypes}
        close={close}
        title="Delete the project"
        label="Delete the project"
        typed={deleted?.name}
      >
        <Text size="sm" mb="xs">
          The project goes with {counted(deleted?.applications?.length ?? 0)}.
        </Text>
        <RemovedWithApplication />
      </ConfirmedMutation>
    </>
  );
}

const counted = (applications: number): string =>
  applications === 1 ? 'its application' : applications === 0 ? 'no application' : `its ${applications} applications`;
