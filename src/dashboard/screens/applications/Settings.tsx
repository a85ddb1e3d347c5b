// The settings of one application, and its deletion.
import { Button, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { z } from 'zod';
import {
  ApplicationDeleteDocument,
  ApplicationSaveDocument,
  ApplicationSettingsDocument,
  type ApplicationSettingsQuery,
} from '../../../../generated/screens/applications/graphql.ts';
import type { EntitlementPolicy } from '../../../../generated/screens/enums.ts';
import { Copy } from '../../parts/Copy.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { ConfirmedMutation } from '../../parts/dialogs.tsx';
import { time } from '../../parts/figures.ts';
import { FormFoot, useApiForm } from '../../parts/form.tsx';
import { ValuesInput } from '../../parts/inputs.tsx';
import { Facts, PageHead, Panel } from '../../parts/layout.tsx';
import { Allowed, useMay } from '../../parts/roles.tsx';
import { Loaded } from '../../parts/states.tsx';
import { splitValues, writtenInList, writtenList } from '../../parts/values.ts';
import { useApplication } from '../../session/me.ts';
import {
  ApplicationFields,
  applicationFields,
  RemovedWithApplication,
  workspaceContext,
  workspaceTypes,
} from './applicationParts.tsx';

export function Settings() {
  const { applicationId, application } = useApplication();
  const mayEdit = useMay('admin');
  // Not from the cache first: the form begins with what the service has now.
  const requestPolicy = 'network-only';
  const [result, read] = useQuery({ query: ApplicationSettingsDocument, context: workspaceContext, requestPolicy });
  const pick = ({ projects }: ApplicationSettingsQuery) => found(projects, applicationId);
  return (
    <>
      <PageHead
        title="Settings"
        about={`Name, time zone and test devices of ${application?.name ?? 'the application'}.`}
      />
      <Loaded result={result} pick={pick} retry={read} lines={8}>
        {(settings) => (
          <Stack key={applicationId}>
            <Panel title="Application">
              <Stack gap="sm">
                <Facts facts={identity(settings)} />
                {!mayEdit && <SettingsFacts {...settings} />}
                <Allowed least="admin" what="edit an application">
                  <SettingsForm {...settings} />
                </Allowed>
              </Stack>
            </Panel>
            <Panel title="Delete the application">
              <Allowed least="admin" what="delete an application">
                <Deletion application={settings.application} />
              </Allowed>
            </Panel>
          </Stack>
        )}
      </Loaded>
    </>
  );
}

type Project = ApplicationSettingsQuery['projects'][number];
type ApplicationWithSettings = NonNullable<Project['applications']>[number];

interface FoundSettings {
  projects: Project[];
  project: Project;
  application: ApplicationWithSettings;
}

function found(projects: Project[], applicationId: string): FoundSettings | null {
  for (const project of projects) {
    const application = project.applications?.find(({ id }) => id === applicationId);
    if (application) return { projects, project, application };
  }
  return null;
}

const identity = ({ application: { id, createdAt, timeZone } }: FoundSettings) => [
  { name: 'Id for the API', value: <Copy value={id} label="the id" /> },
  { name: 'Created', value: `${time(createdAt, timeZone)} (${timeZone})` },
];

function Deletion({ application: { id, name } }: { application: ApplicationWithSettings }) {
  const navigate = useNavigate();
  const [asking, setAsking] = useState(false);
  return (
    <Stack gap="sm" align="start">
      <RemovedWithApplication />
      <Button color="red" variant="outline" size="sm" onClick={() => setAsking(true)}>
        Delete …
      </Button>
      <ConfirmedMutation
        document={ApplicationDeleteDocument}
        variables={asking ? { id } : null}
        changes={workspaceTypes}
        close={() => setAsking(false)}
        done={() => void navigate({ to: '/applications' })}
        title={`Delete ${name}`}
        label="Delete the application"
        typed={name}
      >
        <RemovedWithApplication />
      </ConfirmedMutation>
    </Stack>
  );
}

/** The settings of an application for members who may read but not edit them. */
function SettingsFacts({ project, application }: FoundSettings) {
  const { name, platform, bundleId, timeZone, entitlementPolicy, testDevices } = application;
  const { label, about } = policies[entitlementPolicy];
  const facts = [
    { name: 'Name', value: name },
    { name: 'Platform', value: platform },
    { name: 'Bundle or package identifier', value: bundleId },
    { name: 'Time zone', value: timeZone },
    { name: 'Project', value: project.name },
    { name: 'Purchases of several external ids', value: `${label}: ${about}` },
    { name: 'Test devices', value: testDevices.length === 0 ? 'None' : testDevices.map(device) },
  ];
  return <Facts facts={facts} />;
}

const device = (id: string) => (
  <div key={id}>
    <GivenText text={id} />
  </div>
);

const schema = z.object({
  ...applicationFields,
  projectId: z.string(),
  entitlementPolicy: z.enum(['KEEP', 'TRANSFER', 'SHARE']),
  testDevices: z
    .array(z.string().max(256, 'A device id has at most 256 characters.'))
    .max(100, 'At most 100 test devices.'),
});
type Values = z.infer<typeof schema>;

/** The form of an application that exists: its fields, its project, whose purchases are whose, and its test devices. */
function SettingsForm({ projects, project, application }: FoundSettings) {
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

/** Who holds a purchase that several external ids have brought, in words (schema.graphql, "Owners"). */
const policies: Record<EntitlementPolicy, { label: string; about: string }> = {
  KEEP: { label: 'Keep', about: 'The owner’s devices hold a purchase, and no others.' },
  TRANSFER: {
    label: 'Transfer',
    about: 'The external id of the latest upload takes it, and everybody else loses it.',
  },
  SHARE: { label: 'Share', about: 'All of them hold it, also a stranger who has learned the id of the transaction.' },
};
