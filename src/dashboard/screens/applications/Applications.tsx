// The projects and applications of the organization: create, rename, delete.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { useClient, useQuery } from 'urql';
import { z } from 'zod';
import {
  ApplicationSaveDocument,
  ApplicationsListDocument,
  type ApplicationsListQuery,
  ProjectDeleteDocument,
  ProjectSaveDocument,
} from '../../../../generated/screens/applications/graphql.ts';
import { ApiError, apiErrorOf } from '../../api/apiError.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { ConfirmedMutation, Dialog } from '../../parts/dialogs.tsx';
import { time } from '../../parts/figures.ts';
import { Form, useApiForm } from '../../parts/form.tsx';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { TextLink } from '../../parts/links.tsx';
import { Allowed, useMay } from '../../parts/roles.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useMe } from '../../session/me.ts';
import {
  applicationFields,
  ApplicationFields,
  browserZone,
  RemovedWithApplication,
  workspaceContext,
  workspaceTypes,
} from './applicationParts.tsx';

/** What is open above the list. */
type Open = { what: 'new project' } | { what: 'application' | 'rename' | 'delete'; project: ListedProject } | null;

export function Applications() {
  const { organization } = useMe();
  const mayEdit = useMay('admin');
  const [result, read] = useQuery({ query: ApplicationsListDocument, context: workspaceContext });
  const [open, setOpen] = useState<Open>(null);
  const hasProjects = (result.data?.projects.length ?? 0) > 0;
  return (
    <>
      <PageHead title="Applications" about={`Projects and applications of ${organization.name}.`}>
        {mayEdit && hasProjects && (
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
  // The form stays when it has made the project and its application is refused: nothing typed is lost.
  const [hasFirstForm, setHasFirstForm] = useState(false);
  if (projects.length === 0 && !hasFirstForm) setHasFirstForm(true);
  if (mayEdit && hasFirstForm) {
    return (
      <Panel title="Create your first application">
        <NewApplication project={null} organization={organization.name} />
      </Panel>
    );
  }
  if (projects.length === 0) return <Empty title="No applications yet">An admin creates the first one here.</Empty>;
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
      <Dialog opened={open?.what === 'application'} close={close} title={`New application in ${project?.name}`}>
        <NewApplication project={project} organization={organization.name} />
      </Dialog>
      <Dialog opened={open?.what === 'rename'} close={close} title="Rename the project">
        <ProjectForm project={project} done={close} />
      </Dialog>
      <Dialog opened={open?.what === 'new project'} close={close} title="New project">
        <ProjectForm project={null} done={close} />
      </Dialog>
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

type ListedProject = ApplicationsListQuery['projects'][number];
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
      <TextLink to="/apps/$applicationId/live" params={{ applicationId: id }}>
        {name}
      </TextLink>
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
      <TextLink
        to={`/apps/$applicationId/${path}`}
        params={{ applicationId: id }}
        aria-label={`Open: ${label} of ${name}`}
      >
        Open
      </TextLink>
    ),
  })),
];

/** One project with its applications. */
function ProjectPanel({ project, actions }: { project: ListedProject; actions: ReactNode }) {
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

const projectSchema = z.object({ name: applicationFields.name });

/** The form of a project's name, for a new one and for a rename. */
function ProjectForm({ project, done }: { project: { id: string; name: string } | null; done: () => void }) {
  const { form, ...api } = useApiForm({
    initial: { name: project?.name ?? '' },
    schema: projectSchema,
    document: ProjectSaveDocument,
    changes: workspaceTypes,
    variables: ({ name }) => ({ input: { name, ...(project && { id: project.id }) } }),
    done,
  });
  return (
    <Form {...api} label={project ? 'Rename' : 'Create'}>
      <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
    </Form>
  );
}

const applicationSchema = z.object({ ...applicationFields, project: applicationFields.name });
type ApplicationValues = z.infer<typeof applicationSchema>;

interface NewApplicationProps {
  /** Null: the form asks for the name of a project and makes it. */
  project: { id: string; name: string } | null;
  /** Proposed as the name of the project. */
  organization: string;
}

/** The form of a new application. The first one gets its project with it; each lands on its first-event page. */
function NewApplication({ project, organization }: NewApplicationProps) {
  const navigate = useNavigate();
  const projectFor = useProject(project?.id ?? null);
  const initial: ApplicationValues = {
    name: '',
    bundleId: '',
    platform: 'iOS',
    timeZone: browserZone(),
    project: project?.name ?? organization,
  };
  const { form, ...api } = useApiForm({
    initial,
    schema: applicationSchema,
    document: ApplicationSaveDocument,
    changes: workspaceTypes,
    variables: async ({ project: name, ...input }) => ({ input: { ...input, projectId: await projectFor(name) } }),
    done: ({ applicationEdit }) =>
      void navigate({ to: '/apps/$applicationId/first-event', params: { applicationId: applicationEdit.id } }),
  });
  return (
    <Form {...api} label="Create the application">
      {!project && (
        <TextInput
          label="Project"
          description="A group of applications, for example one product on two platforms"
          {...form.getInputProps('project')}
        />
      )}
      <ApplicationFields field={(name) => form.getInputProps(name)} timeZone={form.getValues().timeZone} />
    </Form>
  );
}

/** Gives the id of the project, which is made once, also when the application is refused and sent again. */
function useProject(given: string | null): (name: string) => Promise<string> {
  const client = useClient();
  const id = useRef(given);
  return async (name) => {
    if (id.current !== null) return id.current;
    const result = await client.mutation(ProjectSaveDocument, { input: { name } }).toPromise();
    const error = apiErrorOf(result.error);
    if (error) throw atProject(error);
    id.current = result.data!.projectEdit.id;
    return id.current;
  };
}

/** The project's name is another field of the form than the application's. */
function atProject(error: ApiError): ApiError {
  const fields = error.fields.map(({ message }) => ({ path: 'project', message }));
  const { extensions, requestId } = error;
  return new ApiError(error.message, error.code, { fields, extensions, requestId });
}
