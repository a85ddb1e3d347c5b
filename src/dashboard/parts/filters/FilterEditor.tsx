// Edits conditions on properties: chosen ones as removable labels, and one form to add another.
import { Button, CloseButton, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { NameInput } from '../names/NameInput.tsx';
import { ValuesInput } from '../ValuesInput.tsx';
import {
  namedBy,
  needsNoValue,
  operators,
  problemOf,
  readAs,
  scopeWords,
  shownValues,
  takesList,
  typedValue,
  words,
  wordsOf,
  type Filter,
} from './filters.ts';
import { useOpenForm } from './openForms.ts';

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
