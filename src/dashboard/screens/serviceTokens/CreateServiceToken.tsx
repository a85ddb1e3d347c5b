// Creates a service token, and shows it this once.
import { Button, Checkbox, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { CreateServiceTokenDocument } from '../../../../generated/screens/serviceTokens/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm, type ApiForm } from '../../parts/form/useApiForm.ts';
import { RoleInput } from '../../parts/RoleInput.tsx';
import { applicationsOf, useMe } from '../../session/me.ts';
import { expiryOf, lifetimes } from './expiry.ts';

const schema = z
  .object({
    name: z.string().trim().min(1, 'Enter a name.').max(256),
    role: z.string(),
    reach: z.string(),
    applicationIds: z.array(z.string()),
    expiresAt: z.string(),
  })
  .refine(({ reach, applicationIds }) => reach === 'all' || applicationIds.length > 0, {
    path: ['applicationIds'],
    message: 'Choose at least one application.',
  });

type Values = z.infer<typeof schema>;
const initial: Values = { name: '', role: 'viewer', reach: 'all', applicationIds: [], expiresAt: '90' };

export function CreateServiceToken({ created, close }: { created: () => void; close: () => void }) {
  const [token, setToken] = useState<string | null>(null);
  const { form, submit, sending, error } = useApiForm({
    initial,
    schema,
    document: CreateServiceTokenDocument,
    variables: ({ name, role, reach, applicationIds, expiresAt }) => ({
      input: { name, role, applicationIds: reach === 'all' ? null : applicationIds, expiresAt: expiryOf(expiresAt) },
    }),
    done: ({ serviceTokenCreate }) => {
      setToken(serviceTokenCreate.token);
      created();
    },
  });
  if (token !== null) return <ShownOnce token={token} close={close} />;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput label="Name" placeholder="Shop server" data-autofocus {...form.getInputProps('name')} />
        <RoleInput choices={['viewer', 'editor', 'admin']} {...form.getInputProps('role')} value={form.values.role} />
        <Reach form={form} />
        <NativeSelect label="Works for" data={lifetimes} {...form.getInputProps('expiresAt')} />
        <FormFoot error={error} sending={sending} label="Create" />
      </Stack>
    </form>
  );
}

function Reach({ form }: Pick<ApiForm<Values>, 'form'>) {
  const applications = applicationsOf(useMe());
  return (
    <>
      <Radio.Group label="Applications" {...form.getInputProps('reach')}>
        <Stack gap={6} mt={4}>
          <Radio value="all" label="All applications, later ones too" />
          <Radio value="some" label="These applications only" disabled={applications.length === 0} />
        </Stack>
      </Radio.Group>
      {form.values.reach === 'some' && (
        <Checkbox.Group aria-label="Applications of the token" {...form.getInputProps('applicationIds')}>
          <Stack gap={6} pl="lg">
            {applications.map(({ id, name, platform }) => (
              <Checkbox key={id} value={id} label={`${name} (${platform})`} />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}

function ShownOnce({ token, close }: { token: string; close: () => void }) {
  return (
    <Stack gap="sm">
      <Text size="sm" role="status">
        Copy the token now: nobody can read it again. A program sends it as <code>Authorization: Bearer …</code>
      </Text>
      <Copy value={token} label="the token" block />
      <Button variant="default" onClick={close}>
        I have copied it
      </Button>
    </Stack>
  );
}
