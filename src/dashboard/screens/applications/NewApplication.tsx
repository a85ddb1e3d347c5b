// The form of a new application. The first one gets its project with it; each lands on its first-event page.
import { Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { useClient } from 'urql';
import { z } from 'zod';
import { ApplicationSaveDocument, ProjectSaveDocument } from '../../../../generated/screens/applications/graphql.ts';
import { ApiError, apiErrorOf } from '../../api/apiError.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { ApplicationFields, applicationFields, browserZone } from './ApplicationFields.tsx';
import { workspaceTypes } from './changes.ts';

const schema = z.object({ ...applicationFields, project: applicationFields.name });
type Values = z.infer<typeof schema>;

interface NewApplicationProps {
  /** Null: the form asks for the name of a project and makes it. */
  project: { id: string; name: string } | null;
  /** Proposed as the name of the project. */
  organization: string;
}

export function NewApplication({ project, organization }: NewApplicationProps) {
  const navigate = useNavigate();
  const projectFor = useProject(project?.id ?? null);
  const initial: Values = {
    name: '',
    bundleId: '',
    platform: 'iOS',
    timeZone: browserZone(),
    project: project?.name ?? organization,
  };
  const { form, submit, sending, error } = useApiForm({
    initial,
    schema,
    document: ApplicationSaveDocument,
    changes: workspaceTypes,
    variables: async ({ project: name, ...input }) => ({ input: { ...input, projectId: await projectFor(name) } }),
    done: ({ applicationEdit }) =>
      void navigate({ to: '/apps/$applicationId/first-event', params: { applicationId: applicationEdit.id } }),
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {!project && (
          <TextInput
            label="Project"
            description="A group of applications, for example one product on two platforms"
            {...form.getInputProps('project')}
          />
        )}
        <ApplicationFields field={(name) => form.getInputProps(name)} timeZone={form.getValues().timeZone} />
        <FormFoot error={error} sending={sending} label="Create the application" />
      </Stack>
    </form>
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
