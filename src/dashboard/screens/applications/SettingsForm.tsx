// The form of an application that exists: its fields, its project, whose purchases are whose, and its test devices.
import { NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { z } from 'zod';
import { ApplicationSaveDocument } from '../../../../generated/screens/applications/graphql.ts';
import { FormFoot } from '../../parts/form/FormFoot.tsx';
import { useApiForm } from '../../parts/form/useApiForm.ts';
import { splitValues, writtenInList, writtenList } from '../../parts/values.ts';
import { ValuesInput } from '../../parts/ValuesInput.tsx';
import { ApplicationFields, applicationFields } from './ApplicationFields.tsx';
import { workspaceTypes } from './changes.ts';
import { policies } from './policies.ts';
import type { FoundSettings } from './Settings.tsx';

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
  const { id } = application;
  const [saved, setSaved] = useState(false);
  const [was, setWas] = useState(() => valuesOf({ ...application, project }));
  const [devices, setDevices] = useState(() => writtenList(was.testDevices));
  const { form, submit, sending, error } = useApiForm({
    initial: was,
    schema,
    document: ApplicationSaveDocument,
    changes: workspaceTypes,
    variables: (values) => ({ input: { id, ...changed(values, was) } }),
    done: ({ applicationEdit }) => {
      // As the service keeps them: `europe/berlin` is `Europe/Berlin`.
      const now = valuesOf(applicationEdit);
      form.setValues(now);
      setWas(now);
      setDevices(writtenList(now.testDevices));
      setSaved(true);
    },
  });
  const isUnchanged = Object.keys(changed(form.getValues(), was)).length === 0;
  return (
    <form onSubmit={submit} noValidate>
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
            {Object.entries(policies).map(([value, { label, about }]) => (
              <Radio key={value} value={value} label={label} description={about} />
            ))}
          </Stack>
        </Radio.Group>
        <ValuesInput
          label="Test devices"
          about="Ids of devices, a line each, or with a comma and a blank between. Reports leave out what these devices do."
          value={devices}
          shown={form.getValues().testDevices.map(writtenInList)}
          change={(typed) => {
            setDevices(typed);
            form.setFieldValue('testDevices', [...new Set(splitValues(typed).map(({ text }) => text))]);
          }}
          error={form.errors['testDevices']}
        />
        <FormFoot error={error} sending={sending} label="Save">
          <Text size="sm" c="dimmed" role="status">
            {saved && isUnchanged ? 'Saved.' : ''}
          </Text>
        </FormFoot>
      </Stack>
    </form>
  );
}

type Kept = Omit<FoundSettings['application'], 'createdAt'> & { project: { id: string } };

function valuesOf({ name, bundleId, platform, timeZone, entitlementPolicy, testDevices, project }: Kept): Values {
  const known = platform as Values['platform'];
  return { name, bundleId, platform: known, timeZone, entitlementPolicy, testDevices, projectId: project.id };
}

/** Only what was changed here: what a colleague changed meanwhile stays. */
function changed(values: Values, was: Values): Partial<Values> {
  const same = (name: string) =>
    JSON.stringify(values[name as keyof Values]) === JSON.stringify(was[name as keyof Values]);
  return Object.fromEntries(Object.entries(values).filter(([name]) => !same(name)));
}
