// The sections of the form, from its name to its action.
import {
  Button,
  Checkbox,
  CloseButton,
  Group,
  MultiSelect,
  NativeSelect,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from 'urql';
import { EditorCountriesDocument } from '../../../../generated/screens/campaigns/graphql.ts';
import { EventInput, NameInput } from '../../parts/NameInputs.tsx';
import { count, duration, time } from '../../parts/figures.ts';
import { takesList, words } from '../../parts/filters.ts';
import { ValuesInput } from '../../parts/inputs.tsx';
import { Panel } from '../../parts/layout.tsx';
import { instantOf } from '../../parts/range.ts';
import { blankWords, versionHint, writtenInList } from '../../parts/values.ts';
import classes from './CampaignEditor.module.css';
import { kindsOf, listOf, newCondition, operators, withOp, type ConditionDraft, type Kind } from './conditions.ts';
import { formatted, largestPayload, numberOf, payloadOf, sdkEvents, typeOf, type Draft } from './draft.ts';
import { versions } from './draftProblems.ts';

export function General({ form }: { form: CampaignForm }) {
  return (
    <Panel title="Campaign">
      <Stack gap="sm">
        <TextInput {...field(form, 'name')} size="xs" label="Name" description="Devices get it too." withAsterisk />
        <Textarea {...field(form, 'description')} size="xs" label="Notes" description="For the team alone." rows={2} />
        <TextInput
          {...field(form, 'priority')}
          size="xs"
          className={classes.short}
          label="Priority"
          description="0 to 1000. Of several campaigns for one event the highest runs."
          inputMode="numeric"
        />
      </Stack>
    </Panel>
  );
}

interface TriggerProps {
  form: CampaignForm;
  applicationId: string;
}

/** The event that sets the campaign off, and conditions on its parameters. */
export function Trigger({ form, applicationId }: TriggerProps) {
  const { event, filters } = form.getValues().trigger;
  const type = typeOf(event);
  const error = errorAt(form, 'trigger.event') ?? errorAt(form, 'trigger.type') ?? form.errors['trigger'];
  return (
    <Panel title="Trigger">
      <Stack gap="sm">
        <div className={classes.event}>
          <EventInput
            applicationId={applicationId}
            label="Event"
            value={{ name: event, type }}
            change={({ name }) => change(form, 'trigger.event', { to: name, about: 'trigger.event' })}
            error={error as string | undefined}
            known={sdkEvents}
          />
          <Text size="xs" c="dimmed" mt={4}>
            {event === ''
              ? 'Choose an event that has arrived, or type a name exactly as the app tracks it.'
              : type === 'SYSTEM'
                ? 'The SDK itself records this event.'
                : 'The app records this event.'}
          </Text>
        </div>
        <div>
          <Text size="xs" fw={600}>
            Conditions on its parameters
          </Text>
          <Text size="xs" c="dimmed" mb={filters.length > 0 ? 4 : 6}>
            All must hold. Without conditions every such event counts.
          </Text>
          <Conditions
            form={form}
            applicationId={applicationId}
            path="trigger.filters"
            list={filters}
            scope="EVENT"
            most={50}
          />
        </div>
      </Stack>
    </Panel>
  );
}

interface TargetingProps {
  form: CampaignForm;
  applicationId: string;
}

/** For which devices and users the campaign is: platforms, countries, versions, and groups of conditions on the user. */
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

interface ConditionsProps {
  form: CampaignForm;
  applicationId: string;
  /** Of the list in the form: `trigger.filters`. */
  path: string;
  list: ConditionDraft[];
  scope: 'EVENT' | 'USER';
  most: number;
}

/** A list of conditions on the parameters of an event or on the properties of the user, all of which must hold. */
function Conditions({ form, applicationId, path, list, scope, most }: ConditionsProps) {
  const error = form.errors[path];
  return (
    <Stack gap="xs" align="stretch">
      {list.map((condition, index) => (
        <ConditionRow
          key={condition.key}
          condition={condition}
          number={index + 1}
          applicationId={applicationId}
          scope={scope}
          errors={{
            name: errorAt(form, `${path}.${index}.name`) ?? errorAt(form, `${path}.${index}.param`),
            value: errorAt(form, `${path}.${index}.value`),
          }}
          change={(to) => change(form, `${path}.${index}`, { to })}
          remove={() => change(form, path, { to: list.filter((_, other) => other !== index) })}
        />
      ))}
      {error !== undefined && <div className={classes.error}>{error}</div>}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          disabled={list.length >= most}
          onClick={() => change(form, path, { to: [...list, newCondition()] })}
        >
          Add condition
        </Button>
      </div>
    </Stack>
  );
}

interface RowProps {
  condition: ConditionDraft;
  number: number;
  applicationId: string;
  scope: 'EVENT' | 'USER';
  errors: { name: string | undefined; value: string | undefined };
  change: (condition: ConditionDraft) => void;
  remove: () => void;
}

const kindNames: Record<Kind, string> = { TEXT: 'Text', NUMBER: 'Number', BOOLEAN: 'True or false', JSON: 'JSON' };

function ConditionRow({ condition, number, applicationId, scope, errors, change, remove }: RowProps) {
  const { name, op, kind } = condition;
  const kinds = kindsOf(op);
  return (
    <div className={classes.condition} role="group" aria-label={`Condition ${number}`}>
      <NameInput
        applicationId={applicationId}
        scope={scope}
        label={scope === 'EVENT' ? 'Parameter' : 'Property'}
        value={name}
        change={(next) => change({ ...condition, name: next })}
        error={errors.name}
      />
      <NativeSelect
        size="xs"
        label="Comparison"
        value={op}
        onChange={({ target }) => change(withOp(condition, target.value as ConditionDraft['op']))}
        data={operators.map((value) => ({ value, label: words[value] }))}
      />
      {kinds.length > 0 && (
        <NativeSelect
          size="xs"
          label="Type"
          value={kind}
          onChange={({ target }) => change(withKind(condition, target.value as Kind))}
          data={kinds.map((value) => ({ value, label: kindNames[value] }))}
        />
      )}
      {kinds.length > 0 && <ValueField condition={condition} error={errors.value} change={change} />}
      <CloseButton className={classes.remove} size="sm" aria-label={`Remove condition ${number}`} onClick={remove} />
    </div>
  );
}

function withKind(condition: ConditionDraft, kind: Kind): ConditionDraft {
  const isTruth = condition.text === 'true' || condition.text === 'false';
  return { ...condition, kind, text: kind === 'BOOLEAN' && !isTruth ? 'true' : condition.text };
}

interface ValueProps {
  condition: ConditionDraft;
  error: string | undefined;
  change: (condition: ConditionDraft) => void;
}

function ValueField({ condition, error, change }: ValueProps) {
  const { op, kind, text } = condition;
  if (takesList(op) && kind !== 'JSON') {
    return (
      <ValuesInput
        size="xs"
        label="Values"
        value={text}
        shown={listOf(text).map(writtenInList)}
        change={(typed) => change({ ...condition, text: typed })}
        error={error}
      />
    );
  }
  if (kind === 'BOOLEAN') {
    return (
      <NativeSelect
        size="xs"
        label="Value"
        value={text}
        onChange={({ target }) => change({ ...condition, text: target.value })}
        data={['true', 'false']}
        error={error}
      />
    );
  }
  return (
    <TextInput
      size="xs"
      label="Value"
      inputMode={kind === 'NUMBER' ? 'decimal' : undefined}
      classNames={kind === 'JSON' ? { input: classes.code } : undefined}
      value={text}
      description={blankWords(text)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      onChange={({ target }) => change({ ...condition, text: target.value })}
      error={error}
    />
  );
}

const caps = {
  perSession: 'In one session',
  perDay: 'In one day of the device',
  total: 'Over all time',
} as const;

/** How often one device shows the campaign. */
export function Frequency({ form }: { form: CampaignForm }) {
  const seconds = numberOf(form.getValues().frequency.cooldownSeconds);
  return (
    <Panel title="Frequency">
      <Text size="sm" c="dimmed" mb="xs">
        The most shows on one device. An empty field is no cap.
      </Text>
      <div className={classes.caps}>
        {Object.entries(caps).map(([name, label]) => (
          <TextInput
            key={name}
            {...field(form, `frequency.${name}`)}
            size="xs"
            label={label}
            placeholder="no cap"
            inputMode="numeric"
          />
        ))}
        <TextInput
          {...field(form, 'frequency.cooldownSeconds')}
          size="xs"
          label="Seconds between two shows"
          placeholder="no wait"
          inputMode="numeric"
          description={seconds !== null && seconds >= 60 ? `= ${duration(seconds)}` : undefined}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
      </div>
    </Panel>
  );
}

interface ScheduleProps {
  form: CampaignForm;
  timeZone: string;
}

/** During which time the campaign runs: times of the application's zone, stored as instants. */
export function Schedule({ form, timeZone }: ScheduleProps) {
  return (
    <Panel title="Schedule">
      <Text size="sm" c="dimmed" mb="xs">
        Times in {timeZone}. A scheduled campaign starts and ends by itself; an empty field leaves it to you.
      </Text>
      <div className={classes.caps}>
        <Moment form={form} path="schedule.startAt" label="Start" timeZone={timeZone} />
        <Moment form={form} path="schedule.endAt" label="End" timeZone={timeZone} />
      </div>
    </Panel>
  );
}

function Moment({ form, path, label, timeZone }: ScheduleProps & { path: string; label: string }) {
  const props = field(form, path);
  const instant = instantOf(String(props.value), timeZone)?.instant;
  return (
    <TextInput
      {...props}
      size="xs"
      type="datetime-local"
      max="9999-12-31T23:59"
      label={`${label} (${timeZone})`}
      description={instant === undefined || timeZone === 'UTC' ? undefined : `= ${time(instant, 'UTC')} UTC`}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
    />
  );
}

/** What the app does: a word that it understands, and data that the service passes on as it is. */
export function Action({ form }: { form: CampaignForm }) {
  const { blocking } = form.getValues().action;
  return (
    <Panel title="Action">
      <Stack gap="sm">
        <TextInput
          {...field(form, 'action.type')}
          error={errorAt(form, 'action.type') ?? form.errors['action']}
          size="xs"
          className={classes.event}
          label="Kind"
          description="A word that the app understands, for example open_screen."
        />
        <Payload form={form} />
        <Checkbox
          {...form.getInputProps('action.blocking', { type: 'checkbox' })}
          size="xs"
          label="Blocking: the app reports the outcome, and no other blocking action runs meanwhile"
        />
        {blocking && (
          <TextInput
            {...field(form, 'action.deadlineSeconds')}
            size="xs"
            className={classes.short}
            label="Deadline in seconds"
            description="After it the outcome is “unavailable”."
            placeholder="the SDK’s default"
            inputMode="numeric"
          />
        )}
      </Stack>
    </Panel>
  );
}

function Payload({ form }: { form: CampaignForm }) {
  const text = form.getValues().action.payload;
  const { bytes, problem } = payloadOf(text);
  return (
    <div>
      <Textarea
        {...field(form, 'action.payload')}
        error={problem ?? errorAt(form, 'action.payload')}
        size="xs"
        label="Payload"
        description="Any JSON, or empty. The order of an object’s members is not kept."
        classNames={{ input: classes.code }}
        rows={Math.min(20, Math.max(6, text.split('\n').length + 1))}
        spellCheck={false}
        resize="vertical"
      />
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed" className="figure">
          {count(bytes)} of {count(largestPayload)} bytes
        </Text>
        <Button
          size="compact-xs"
          variant="default"
          disabled={problem !== null || text.trim() === ''}
          onClick={() => change(form, 'action.payload', { to: formatted(text) })}
        >
          Format the JSON
        </Button>
      </Group>
    </div>
  );
}

export type CampaignForm = UseFormReturnType<Draft>;

/** The service names an entry of a list (`targeting.countries.3`), and the page shows the list as one field. */
function errorAt(form: CampaignForm, path: string): string | undefined {
  const found = Object.entries(form.errors).find(([name]) => name === path || name.startsWith(`${path}.`));
  return found === undefined ? undefined : (found[1] as string);
}

function field(form: CampaignForm, path: string) {
  return { ...form.getInputProps(path), name: path, error: errorAt(form, path) };
}

/** Sets a value, and takes away the problems at `about` and below: they were about the value before. */
function change(form: CampaignForm, path: string, { to, about = path }: { to: unknown; about?: string }): void {
  // The paths of a form's lists have numbers, which its types do not know.
  (form.setFieldValue as (path: string, value: unknown) => void)(path, to);
  const kept = Object.entries(form.errors).filter(([name]) => name !== about && !name.startsWith(`${about}.`));
  form.setErrors(Object.fromEntries(kept));
}
