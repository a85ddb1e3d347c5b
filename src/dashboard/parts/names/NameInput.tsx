// A field for the name of a property, completed from the names that the application's devices have sent.
import { Autocomplete } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from 'urql';
import { PropertyNamesDocument } from '../../../../generated/screens/names/graphql.ts';
import { deviceProperties } from '../filters/filters.ts';
import { blankWords } from '../blankText.ts';
import { nameOption } from './nameOption.tsx';

interface NameInputProps {
  applicationId: string;
  scope: 'EVENT' | 'USER' | 'DEVICE';
  label: string;
  value: string;
  change: (name: string) => void;
  error?: string;
}

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
