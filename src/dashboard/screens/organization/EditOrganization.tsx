// The organization's name and logo, and its id.
import { Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { EditOrganizationDocument } from '../../../../generated/screens/organization/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { FormFoot, useApiForm } from '../../parts/form.tsx';
import { PageHead, Panel } from '../../parts/layout.tsx';
import { Allowed, useMay } from '../../parts/roles.tsx';
import { useMe } from '../../session/me.ts';

const schema = z.object({ name: z.string().trim().min(1, 'Enter a name.').max(256), logo: z.string().max(2_048) });

export function EditOrganization() {
  const { organization } = useMe();
  return (
    <>
      <PageHead title="Organization" about="Its name and logo, as all members see them." />
      <Stack maw="36rem">
        <Panel title="Name and logo">
          <NameForm />
        </Panel>
        <Panel title="Id">
          <Copy value={organization.id} label="the organization's id" />
        </Panel>
      </Stack>
    </>
  );
}

function NameForm() {
  const { organization } = useMe();
  const may = useMay('owner');
  const [saved, setSaved] = useState(false);
  const was = { name: organization.name, logo: organization.logo ?? '' };
  const { form, submit, sending, error } = useApiForm({
    initial: was,
    schema,
    document: EditOrganizationDocument,
    variables: ({ name, logo }) => ({
      input: { ...(name !== was.name && { name }), ...(logo !== was.logo && { logo }) },
    }),
    done: ({ organizationEdit: { name, logo } }) => {
      // As the service keeps them.
      form.setValues({ name, logo: logo ?? '' });
      setSaved(true);
    },
  });
  return (
    <form onSubmit={submit} onChange={() => setSaved(false)} noValidate>
      <Stack gap="sm">
        <TextInput label="Name" readOnly={!may} {...form.getInputProps('name')} />
        <TextInput
          label="Logo"
          description="Normally a URL. The service keeps the text and never opens it."
          readOnly={!may}
          {...form.getInputProps('logo')}
        />
        <Allowed least="owner" what="edit the organization">
          <FormFoot error={error} sending={sending} label="Save">
            <Text size="sm" role="status">
              {saved ? 'Saved.' : ''}
            </Text>
          </FormFoot>
        </Allowed>
      </Stack>
    </form>
  );
}
