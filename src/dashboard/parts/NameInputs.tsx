// Fields for names, completed from those that the application's devices have sent.
import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from 'urql';
import { EventNamesDocument, PropertyNamesDocument } from '../../../generated/screens/parts/graphql.ts';
import { GivenText } from './GivenText.tsx';
import { deviceProperties } from './filters.ts';
import { blankWords } from './values.ts';

/** A name in the list of a field: in its own direction, cut at the width of the list. */
export const nameOption = ({ option }: { option: { value: string } }) => <GivenText text={option.value} cut />;

interface NameInputProps {
  applicationId: string;
  scope: 'EVENT' | 'USER' | 'DEVICE';
  label: string;
  value: string;
  change: (name: string) => void;
  error?: string;
}

/** A field for the name of a property, completed from the names that the application's devices have sent. */
export function NameInput({ applicationId, scope, label, value, change, error }: NameInputProps) {
  const [search] = useDebouncedValue(value, 200);
  const [{ data }] = useQuery({
    query: PropertyNamesDocument,
    variables: { applicationId, scope, search: search.slice(0, 256) },
    pause: scope === 'DEVICE',
  });
  const names = scope === 'DEVICE' ? deviceProperties : (data?.propertyNames?.nodes.map(({ name }) => name) ?? []);
  return (
    <Autocomplete
      size="xs"
      label={label}
      value={value}
      onChange={change}
      data={[...new Set(names)]}
      maxLength={256}
      renderOption={nameOption}
      description={blankWords(value)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={error}
    />
  );
}

export interface NamedEvent {
  name: string;
  type: 'CUSTOM' | 'SYSTEM';
}

interface EventInputProps {
  applicationId: string;
  label: string;
  value: NamedEvent;
  change: (event: NamedEvent) => void;
  error?: string;
  /** Names to choose that need not have arrived. */
  known?: readonly string[];
}

/** The names that the SDK itself records: schema.graphql (EventType). */
const reserved = new Set([
  ...['SdkInitialized', 'ConfigFetchStarted', 'ConfigFetchFinished', 'SessionStarted', 'SessionFinished'],
  ...['CampaignShown', 'EventTriggered', 'CustomPropertyChanged', 'CampaignResolved'],
]);

/** A field for an event, completed from the names that have arrived; the SDK's own events are marked. */
export function EventInput({ applicationId, label, value, change, error, known = [] }: EventInputProps) {
  const [search] = useDebouncedValue(value.name, 200);
  const [{ data }] = useQuery({
    query: EventNamesDocument,
    variables: { applicationId, search: search.slice(0, 256) },
  });
  const nodes = data?.eventNames?.nodes ?? [];
  const choose = (name: string): void => {
    const known = nodes.find((node) => node.name === name);
    change({ name, type: known?.type ?? (reserved.has(name) ? 'SYSTEM' : 'CUSTOM') });
  };
  return (
    <Autocomplete
      size="xs"
      label={label}
      value={value.name}
      onChange={choose}
      data={[...new Set([...nodes.map(({ name }) => name), ...known])]}
      maxLength={256}
      renderOption={nameOption}
      description={blankWords(value.name)}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      error={error}
    />
  );
}
