// The form of an application that exists: its fields, its project, whose purchases are whose, and its test devices.
import { NativeSelect, Radio, Stack, TagsInput, Text } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { ApplicationSaveDocument } from '../../../../generated/screens/applications/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { ApplicationFields, applicationFields } from './ApplicationFields.tsx';
import { workspaceTypes } from './changes.ts';
import type { FoundSettings } from './Settings.tsx';

const policies = [
  ['KEEP', 'Keep', 'The owner’s devices hold a purchase, and no others.'],
  ['TRANSFER', 'Transfer', 'The external id of the latest upload takes it, and everybody else loses it.'],
  ['SHARE', 'Share', 'All of them hold it, also a stranger who has learned the id of the transaction.'],
] as const;

const schema = z.object({
  ...applicationFields,
  projectId: z.string(),
  entitlementPolicy: z.enum(['KEEP', 'TRANSFER', 'SHARE']),
  testDevices: z
    .array(z.string().max(256, 'A device id has at most 256 characters.'))
    .max(100, 'At most 100 test devices.'),
});
type Values = z.infer<typeof schema>;

export function SettingsForm({ projects, project, application }: FoundSettings) {
  const { id, name, bundleId, timeZone, entitlementPolicy, testDevices } = application;
  const platform = application.platform as Values['platform'];
  const [saved, setSaved] = useState(false);
  const initial: Values = { name, bundleId, platform, timeZone, entitlementPolicy, testDevices, projectId: project.id };
  const { form, submit, sending, error } = useApiForm({
    initial,
    schema,
    document: ApplicationSaveDocument,
    changes: workspaceTypes,
    variables: (values) => ({ input: { id, ...changed(values, initial) } }),
    done: (_, values) => {
      form.resetDirty(values);
      setSaved(true);
    },
  });
  return (
    <form onSubmit={submit} onChange={() => setSaved(false)} noValidate>
      <Stack gap="sm" maw={560}>
        <ApplicationFields field={(field) => form.getInputProps(field)} timeZone={form.getValues().timeZone} />
        {projects.length > 1 && (
          <NativeSelect
            label="Project"
            data={projects.map((one) => ({ value: one.id, label: one.name }))}
            {...form.getInputProps('projectId')}
          />
        )}
        <Radio.Group label="When several external ids bring one purchase" {...form.getInputProps('entitlementPolicy')}>
          <Stack gap={6} mt={6}>
            {policies.map(([value, label, description]) => (
              <Radio key={value} value={value} label={label} description={description} />
            ))}
          </Stack>
        </Radio.Group>
        <TagsInput
          label="Test devices"
          description="Ids of devices, each ended by Enter. Reports leave out what these devices do."
          splitChars={[]}
          maxTags={100}
          clearable
          {...form.getInputProps('testDevices')}
        />
        <FormFoot error={error} sending={sending} label="Save">
          <Text size="sm" c="dimmed" role="status">
            {saved && !form.isDirty() ? 'Saved.' : ''}
          </Text>
        </FormFoot>
      </Stack>
    </form>
  );
}

/** Only what was changed here: what a colleague changed meanwhile stays. */
function changed(values: Values, initial: Values): Partial<Values> {
  const same = (name: string) =>
    JSON.stringify(values[name as keyof Values]) === JSON.stringify(initial[name as keyof Values]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !same(name)));
}
