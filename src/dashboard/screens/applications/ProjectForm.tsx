// The form of a project's name, for a new one and for a rename.
import { Stack, TextInput } from '@mantine/core';
import { z } from 'zod';
import { ProjectSaveDocument } from '../../../../generated/screens/applications/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { applicationFields } from './ApplicationFields.tsx';
import { workspaceTypes } from './changes.ts';

const schema = z.object({ name: applicationFields.name });

export function ProjectForm({ project, done }: { project: { id: string; name: string } | null; done: () => void }) {
  const { form, submit, sending, error } = useApiForm({
    initial: { name: project?.name ?? '' },
    schema,
    document: ProjectSaveDocument,
    changes: workspaceTypes,
    variables: ({ name }) => ({ input: { name, ...(project && { id: project.id }) } }),
    done,
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
        <FormFoot error={error} sending={sending} label={project ? 'Rename' : 'Create'} />
      </Stack>
    </form>
  );
}
