// Edits what a report asks: conditions on properties, events with their conditions, and a breakdown.
import { Box, Button, CloseButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { createContext, useContext, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { flushSync } from 'react-dom';
import { EventInput, NameInput } from './NameInputs.tsx';
import { namedBy, needsNoValue, operators, problemOf, readAs, scopeWords, shownValues, takesList, typedValue, words, wordsOf, type Filter } from './filters.ts';
import { ValuesInput } from './inputs.tsx';
import type { Breakdown, Selection } from './selection.ts';

// Lets the button that shows a report take along the filter forms that are still open in its editor.

/** Adds the form's filter where the form is filled. False: the form shows an error instead. */
type Settle = () => boolean;

export type OpenForms = Set<RefObject<Settle>>;

/** Null: no button takes open forms along, so a filter counts only after “Add”. */
export const OpenFormsContext = createContext<OpenForms | null>(null);

/** `settle` adds the filters of all open forms, and is false where one of them shows an error. */
export function useOpenForms(): { forms: OpenForms; settle: Settle } {
  const [forms] = useState<OpenForms>(() => new Set());
  const settle = (): boolean => {
    let right = true;
    for (const form of [...forms]) {
      // Each form adds to the draft that the form before it has left.
      flushSync(() => {
        right = form.current() && right;
      });
    }
    return right;
  };
  return { forms, settle };
}

/** Enters a form while it is on the page. Returns whether a button takes it along. */
export function useOpenForm(settle: Settle): boolean {
  const forms = useContext(OpenFormsContext);
  const latest = useRef(settle);
  useLayoutEffect(() => {
    latest.current = settle;
  });
  useLayoutEffect(() => {
    forms?.add(latest);
    return () => void forms?.delete(latest);
  }, [forms]);
  return forms !== null;
}

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

/** Edits conditions on properties: chosen ones as removable labels, and one form to add another. */
export function FilterEditor({ applicationId, filters, change, scopes = allScopes }: FilterEditorProps) {
  const [adding, setAdding] = useState(false);
  const [added, setAdded] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const end = (focus: boolean): void => {
    setAdding(false);
    setAdded(focus);
  };
  const remove = (at: number): void => {
    change(filters.filter((_, other) => other !== at));
    // The focused button goes with its filter.
    button.current?.focus();
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
      {adding ? (
        <AddFilter
          applicationId={applicationId}
          scopes={scopes}
          add={(filter, focus) => {
            end(focus);
            change([...filters, filter]);
          }}
          cancel={() => end(true)}
        />
      ) : (
        <Button
          ref={button}
          size="compact-sm"
          variant="default"
          // The focus comes back from the form, whose place it takes.
          autoFocus={added}
          disabled={filters.length >= 20}
          onClick={() => setAdding(true)}
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
  /** `focus`: the focus is in the form and goes with it. */
  add: (filter: Filter, focus: boolean) => void;
  cancel: () => void;
}

function AddFilter({ applicationId, scopes, add, cancel }: AddFilterProps) {
  const [scope, setScope] = useState<Filter['scope']>(scopes[0] ?? 'EVENT');
  const [property, setProperty] = useState('');
  const [op, setOp] = useState<Filter['op']>('EQ');
  const [value, setValue] = useState('');
  const [tried, setTried] = useState(false);
  const missing = property.trim() === '';
  const of = { scope, property, op };
  const problem = problemOf(value, of);
  const save = (focus: boolean): boolean => {
    setTried(true);
    if (missing || problem !== null) return false;
    add({ ...of, ...(!needsNoValue(op) && { value: typedValue(value, of) }) }, focus);
    return true;
  };
  // A form in which nothing is typed asks for nothing.
  const takenAlong = useOpenForm(() => (missing && value === '') || save(false));
  return (
    <Group
      component="form"
      gap={8}
      align="start"
      onSubmit={(event) => {
        event.preventDefault();
        save(true);
      }}
    >
      <NativeSelect
        size="xs"
        label="Of"
        autoFocus
        value={scope}
        onChange={({ target }) => setScope(target.value as Filter['scope'])}
        data={scopes.map((name) => ({ value: name, label: scopeWords[name] }))}
      />
      <NameInput
        applicationId={applicationId}
        scope={scope}
        label="Property"
        value={property}
        change={setProperty}
        error={tried && missing ? 'Choose a property' : undefined}
      />
      <NativeSelect
        size="xs"
        label="Comparison"
        value={op}
        onChange={({ target }) => setOp(target.value as Filter['op'])}
        data={operators.map((name) => ({ value: name, label: words[name] }))}
      />
      {!needsNoValue(op) && (
        <ValueField of={of} typed={value} change={setValue} error={tried ? problem : null} enter={() => save(true)} />
      )}
      <Buttons cancel={cancel} takenAlong={takenAlong} />
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

function Buttons({ cancel, takenAlong }: { cancel: () => void; takenAlong: boolean }) {
  return (
    // Beside the fields, below their labels.
    <Group gap="xs" wrap="nowrap" mt={20}>
      <Button size="xs" type="submit">
        Add
      </Button>
      <Button size="xs" variant="default" onClick={cancel}>
        Cancel
      </Button>
      {!takenAlong && (
        <Text size="xs" c="dimmed">
          Counts after “Add”.
        </Text>
      )}
    </Group>
  );
}

interface SelectionEditorProps {
  applicationId: string;
  label: string;
  value: Selection;
  change: (value: Selection) => void;
  error?: string;
}

/** Chooses events by a name and filters, for one row of a report's editor. */
export function SelectionEditor({ applicationId, label, value, change, error }: SelectionEditorProps) {
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
        <FilterEditor
          applicationId={applicationId}
          filters={value.filters ?? []}
          change={(filters) => change({ ...value, filters: filters.length > 0 ? filters : undefined })}
        />
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
