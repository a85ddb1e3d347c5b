// A field for an event, completed from the names that have arrived; the SDK's own events are marked.
import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from 'urql';
import { EventNamesDocument } from '../../../../generated/screens/names/graphql.ts';
import { blankWords } from '../blankText.ts';
import { nameOption } from './nameOption.tsx';

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
