// Edits what a report asks: conditions on properties, events with their conditions, and a breakdown.
import { Box, Button, CloseButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import {
  type Filter,
  filterOf,
  namedBy,
  needsNoValue,
  operators,
  problemOf,
  readAs,
  scopeWords,
  shownValues,
  takesList,
  type TypedFilter,
  typedValue,
  words,
  wordsOf,
} from './filters.ts';
import { ValuesInput } from './inputs.tsx';
import { EventInput, NameInput } from './NameInputs.tsx';
import type { Breakdown, SelectionDraft } from './selection.ts';

const bordered = { border: '1px solid var(--line)', borderRadius: 4 };
const blanksSeen = { whiteSpace: 'pre' };
const allScopes: readonly Filter['scope'][] = ['EVENT', 'USER', 'DEVICE'];

interface FilterEditorProps {
  applicationId: string;
  filters: readonly Filter[];
  change: (filters: Filter[]) => void;
  /** Which scopes the report takes, the usual one first. All unless given. */
  scopes?: readonly Filter['scope'][];
}

/** A filter counts once its form is sent. */
export function FilterEditor({ change, ...rest }: FilterEditorProps) {
  const [open, setOpen] = useState<TypedFilter>();
  const changeBoth: FiltersDraftProps['change'] = (next) => {
    setOpen(next.open);
    if (next.filters !== rest.filters) change([...next.filters]);
  };
  return <FiltersDraft {...rest} open={open} change={changeBoth} about="Counts after “Add”." />;
}

interface FiltersDraftProps extends Omit<FilterEditorProps, 'change'> {
  /** The form of another filter, while it is open. */
  open: TypedFilter | undefined;
  change: (draft: { filters: readonly Filter[]; open: TypedFilter | undefined }) => void;
  /** What is said beside the buttons of the form. */
  about?: string;
}

/** For an editor that takes the open form along when its report is asked for. */
export function FiltersDraft({ applicationId, filters, open, change, scopes = allScopes, about }: FiltersDraftProps) {
  const [added, setAdded] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const begin = (): void => {
    setAdded(false);
    change({ filters, open: { scope: scopes[0] ?? 'EVENT', property: '', op: 'EQ', value: '', tried: false } });
  };
  const end = (next: readonly Filter[]): void => {
    setAdded(true);
    change({ filters: next, open: undefined });
  };
  const remove = (at: number): void => {
    change({ filters: filters.filter((_, other) => other !== at), open });
    // The focused button goes with its filter.
    button.current?.focus();
  };
  const add = (typed: TypedFilter): void => {
    const filter = filterOf(typed);
    if (filter) end([...filters, filter]);
    else change({ filters, open: { ...typed, tried: true } });
  };
  return (
    <Group gap="xs">
      {filters.map((filter, at) => (
        <Group
          key={at}
          gap={4}
          maw="min(100%, 28rem)"
          py={2}
          pl={10}
          pr={4}
          bg="var(--surface)"
          style={bordered}
          wrap="nowrap"
        >
          <FilterWords filter={filter} />
          <CloseButton size="xs" aria-label={`Remove: ${wordsOf(filter)}`} onClick={() => remove(at)} />
        </Group>
      ))}
      {open ? (
        <AddFilter
          {...{ applicationId, scopes, about }}
          typed={open}
          change={(part) => change({ filters, open: { ...open, ...part } })}
          add={() => add(open)}
          cancel={() => end(filters)}
        />
      ) : (
        <Button
          ref={button}
          size="compact-sm"
          variant="default"
          // The focus comes back from the form, whose place it takes.
          autoFocus={added}
          disabled={filters.length >= 20}
          onClick={begin}
        >
          Add filter
        </Button>
      )}
    </Group>
  );
}

/** Each value of a list apart, so that a comma inside of one is seen as such. */
function FilterWords({ filter }: { filter: Filter }) {
  const values = shownValues(filter);
  return (
    <Text size="sm" truncate title={wordsOf(filter)} style={blanksSeen}>
      {namedBy(filter)}
      {values.map((value, at) => (
        <span key={at}> {takesList(filter.op) ? <OneValue>{value}</OneValue> : value}</span>
      ))}
    </Text>
  );
}

const OneValue = ({ children }: { children: string }) => (
  <Text span inherit mr={2} px={5} bg="body" style={bordered}>
    {children}
  </Text>
);

interface AddFilterProps {
  applicationId: string;
  scopes: readonly Filter['scope'][];
  typed: TypedFilter;
  change: (part: Partial<TypedFilter>) => void;
  add: () => void;
  cancel: () => void;
  about: string | undefined;
}

function AddFilter({ applicationId, scopes, typed, change, add, cancel, about }: AddFilterProps) {
  const { scope, property, op, value, tried } = typed;
  const missing = property.trim() === '';
  const of = { scope, property, op };
  return (
    <Group
      component="form"
      gap={8}
      align="start"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <NativeSelect
        size="xs"
        label="Of"
        autoFocus
        value={scope}
        onChange={({ target }) => change({ scope: target.value as Filter['scope'] })}
        data={scopes.map((name) => ({ value: name, label: scopeWords[name] }))}
      />
      <NameInput
        applicationId={applicationId}
        scope={scope}
        label="Property"
        value={property}
        change={(name) => change({ property: name })}
        error={tried && missing ? 'Choose a property' : undefined}
      />
      <NativeSelect
        size="xs"
        label="Comparison"
        value={op}
        onChange={({ target }) => change({ op: target.value as Filter['op'] })}
        data={operators.map((name) => ({ value: name, label: words[name] }))}
      />
      {!needsNoValue(op) && (
        <ValueField
          of={of}
          typed={value}
          change={(text) => change({ value: text })}
          error={tried ? problemOf(value, of) : null}
          enter={add}
        />
      )}
      <Buttons cancel={cancel} about={about} />
    </Group>
  );
}

interface ValueFieldProps {
  of: Omit<Filter, 'value'>;
  typed: string;
  change: (typed: string) => void;
  error: string | null;
  enter: () => void;
}

function ValueField({ of, typed, change, error, enter }: ValueFieldProps) {
  const props = { size: 'xs', value: typed, error } as const;
  if (takesList(of.op)) {
    const values = [typedValue(typed, of) ?? []].flat();
    const shown = shownValues({ ...of, value: values });
    return <ValuesInput {...props} label="Values" shown={shown} change={change} enter={enter} />;
  }
  return (
    <TextInput
      {...props}
      label="Value"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={readAs(typed, of)}
      styles={{ description: blanksSeen }}
      onChange={({ target }) => change(target.value)}
    />
  );
}

function Buttons({ cancel, about }: { cancel: () => void; about: string | undefined }) {
  return (
    // Beside the fields, below their labels.
    <Group gap="xs" wrap="nowrap" mt={20}>
      <Button size="xs" type="submit">
        Add
      </Button>
      <Button size="xs" variant="default" onClick={cancel}>
        Cancel
      </Button>
      {about !== undefined && (
        <Text size="xs" c="dimmed">
          {about}
        </Text>
      )}
    </Group>
  );
}

interface SelectionEditorProps {
  applicationId: string;
  label: string;
  value: SelectionDraft;
  change: (value: SelectionDraft) => void;
  error?: string;
  /** The editor asks with a button, and takes the form of a filter along that is still open. */
  asksByButton?: boolean;
}

/** Chooses events by a name and filters, for one row of a report's editor. */
export function SelectionEditor({ applicationId, label, value, change, error, asksByButton }: SelectionEditorProps) {
  const { filters = [], open } = value;
  const given = (list: readonly Filter[]) => (list.length > 0 ? [...list] : undefined);
  return (
    <Group gap="xs" align="end" miw={0} flex="1 1 0">
      <Box w={260} maw="100%">
        <EventInput
          applicationId={applicationId}
          label={label}
          value={value}
          change={({ name, type }) => change({ ...value, name, type })}
          error={error}
        />
      </Box>
      <Box pb={2} miw={0} maw="100%">
        {asksByButton ? (
          <FiltersDraft
            {...{ applicationId, filters, open }}
            change={(next) => change({ ...value, filters: given(next.filters), open: next.open })}
          />
        ) : (
          <FilterEditor {...{ applicationId, filters }} change={(next) => change({ ...value, filters: given(next) })} />
        )}
      </Box>
    </Group>
  );
}

interface BreakdownPickerProps {
  applicationId: string;
  /** With an empty `property` while it is being typed. */
  value: Breakdown | null;
  change: (value: Breakdown | null) => void;
}

const scopes = [
  { value: '', label: 'Nothing' },
  { value: 'EVENT', label: 'Event property' },
  { value: 'USER', label: 'User property' },
  { value: 'DEVICE', label: 'Device property' },
];

/** Chooses the property by which a report is broken down, or none. */
export function BreakdownPicker({ applicationId, value, change }: BreakdownPickerProps) {
  return (
    <Group gap="xs" align="end">
      <NativeSelect
        size="xs"
        label="Break down by"
        value={value?.scope ?? ''}
        data={scopes}
        onChange={({ target }) =>
          change(target.value === '' ? null : { scope: target.value as Breakdown['scope'], property: '' })
        }
      />
      {value && (
        <NameInput
          applicationId={applicationId}
          scope={value.scope}
          label="Property of the breakdown"
          value={value.property}
          change={(property) => change({ ...value, property })}
        />
      )}
    </Group>
  );
}
