// For which devices and users the campaign is: platforms, countries, versions, and groups of conditions on the user.
import { Button, Checkbox, Group, MultiSelect, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from 'urql';
import { EditorCountriesDocument } from '../../../../generated/screens/campaignEditor/graphql.ts';
import { Panel } from '../../parts/Panel.tsx';
import { versionHint } from '../../parts/version.ts';
import { Conditions } from './Conditions.tsx';
import { newCondition } from './conditions.ts';
import { versions } from './draftProblems.ts';
import { change, errorAt, field, type CampaignForm } from './fields.ts';
import classes from './CampaignEditor.module.css';

interface TargetingProps {
  form: CampaignForm;
  applicationId: string;
}

export function Targeting({ form, applicationId }: TargetingProps) {
  const { platforms } = form.getValues().targeting;
  return (
    <Panel title="Targeting">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          All of these must hold. A field that is left empty restricts nothing.
        </Text>
        {form.errors['targeting'] && <div className={classes.error}>{form.errors['targeting']}</div>}
        <Checkbox.Group
          label="Platforms"
          size="xs"
          value={platforms}
          onChange={(to) => change(form, 'targeting.platforms', { to })}
          error={errorAt(form, 'targeting.platforms')}
        >
          <Group gap="md" mt={4}>
            <Checkbox value="iOS" label="iOS" />
            <Checkbox value="Android" label="Android" />
          </Group>
        </Checkbox.Group>
        <Countries form={form} />
        <Versions form={form} />
        <Groups form={form} applicationId={applicationId} />
      </Stack>
    </Panel>
  );
}

function Countries({ form }: { form: CampaignForm }) {
  const [{ data }] = useQuery({ query: EditorCountriesDocument, variables: {} });
  const { countries } = form.getValues().targeting;
  const known = (data?.countries ?? []).flatMap((country) =>
    country ? [{ value: country.code, label: `${country.name} (${country.code})` }] : [],
  );
  // Until the names are there, the chosen codes stand for themselves.
  const options = known.length > 0 ? known : countries.map((code) => ({ value: code, label: code }));
  return (
    <MultiSelect
      size="xs"
      label="Countries"
      description="A device whose country is not known is not reached once a country is chosen."
      placeholder={countries.length === 0 ? 'Any country' : undefined}
      searchable
      hidePickedOptions
      nothingFoundMessage="No such country"
      maxDropdownHeight={240}
      data={options}
      value={countries}
      onChange={(to) => change(form, 'targeting.countries', { to })}
      error={errorAt(form, 'targeting.countries')}
    />
  );
}

const versionNames: Record<(typeof versions)[number], string> = {
  appVersion: 'App version now',
  osVersion: 'OS version',
  sdkVersion: 'SDK version',
  appInstallVersion: 'App version at installation',
};

function Versions({ form }: { form: CampaignForm }) {
  return (
    <div>
      <Text size="xs" fw={600}>
        Versions
      </Text>
      <Text size="xs" c="dimmed" mb={6}>
        As people write them: 2.14.3 or 2.14. Devices compare whole numbers, and 2014003 means 2.14.3. Both ends are
        included.
      </Text>
      <div className={classes.versions}>
        {versions.map((name) => (
          <div key={name} className={classes.range} role="group" aria-label={versionNames[name]}>
            <Text size="xs" className={classes.rangeName}>
              {versionNames[name]}
            </Text>
            <Version form={form} path={`targeting.${name}.min`} label="Lowest" />
            <Version form={form} path={`targeting.${name}.max`} label="Highest" />
          </div>
        ))}
      </div>
    </div>
  );
}

function Version({ form, path, label }: { form: CampaignForm; path: string; label: string }) {
  const props = field(form, path);
  const whole = path.replace(/\.m..$/, '');
  return (
    <TextInput
      {...props}
      size="xs"
      label={label}
      placeholder="any"
      description={versionHint(String(props.value))}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={props.error ?? (label === 'Lowest' ? form.errors[whole] : undefined)}
    />
  );
}

function Groups({ form, applicationId }: TargetingProps) {
  const groups = form.getValues().targeting.userProperties;
  const path = 'targeting.userProperties';
  return (
    <Stack gap="xs">
      <div>
        <Text size="xs" fw={600}>
          User properties
        </Text>
        <Text size="xs" c="dimmed">
          A user fits when all conditions of at least one group hold.
        </Text>
      </div>
      {form.errors[path] && <div className={classes.error}>{form.errors[path]}</div>}
      {groups.map((group, index) => (
        <div key={group[0]?.key ?? index} className={classes.group} role="group" aria-label={`Group ${index + 1}`}>
          <Group justify="space-between" mb={4}>
            <Text size="xs" fw={600}>
              {index === 0 ? 'Group 1' : `or group ${index + 1}`}
            </Text>
            <Button
              size="compact-xs"
              variant="subtle"
              onClick={() => change(form, path, { to: groups.filter((_, other) => other !== index) })}
            >
              Remove group {index + 1}
            </Button>
          </Group>
          <Conditions
            form={form}
            applicationId={applicationId}
            path={`${path}.${index}`}
            list={group}
            scope="USER"
            most={20}
          />
        </div>
      ))}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          disabled={groups.length >= 20}
          onClick={() => change(form, path, { to: [...groups, [newCondition()]] })}
        >
          {groups.length === 0 ? 'Add conditions on the user' : 'Add another group'}
        </Button>
      </div>
    </Stack>
  );
}
