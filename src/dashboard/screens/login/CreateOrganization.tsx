// What an account without an organization sees after its login: it makes one, or opens its invitation.
import { Button, Stack, Text, TextInput } from '@mantine/core';
import { z } from 'zod';
import { CreateOrganizationDocument } from '../../../../generated/screens/login/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { useSession } from '../../session/SessionProvider.tsx';
import { Door } from './Door.tsx';

const schema = z.object({ name: z.string().trim().min(1, 'Enter a name.').max(256) });

export function CreateOrganization({ challenge, back }: { challenge: string; back: () => void }) {
  const session = useSession();
  const { form, submit, sending, error } = useApiForm({
    initial: { name: '' },
    schema,
    document: CreateOrganizationDocument,
    variables: ({ name }) => ({ input: { name, challenge } }),
    done: ({ organizationCreate }) => session.begin(organizationCreate),
  });
  return (
    <Door title="Create an organization">
      <Text size="sm">
        Your account belongs to no organization. Create one here within five minutes, or open the link of an invitation.
      </Text>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput label="Name of the organization" {...form.getInputProps('name')} />
          <FormFoot error={error} sending={sending} label="Create">
            <Button variant="default" onClick={back}>
              Back
            </Button>
          </FormFoot>
        </Stack>
      </form>
    </Door>
  );
}
