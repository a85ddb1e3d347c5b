// A filter by one of a few words, or by none of them.
import { NativeSelect, type NativeSelectProps } from '@mantine/core';

interface ChoiceFilterProps<Value extends string> extends Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> {
  /** What no filter is called. */
  any: string;
  words: Record<Value, string>;
  value: Value | undefined;
  change: (value: Value | undefined) => void;
}

export function ChoiceFilter<Value extends string>({ any, words, value, change, ...rest }: ChoiceFilterProps<Value>) {
  const choices = Object.entries<string>(words).map(([choice, label]) => ({ value: choice, label }));
  return (
    <NativeSelect
      size="xs"
      data={[{ value: '', label: any }, ...choices]}
      value={value ?? ''}
      onChange={({ target }) => change((target.value || undefined) as Value | undefined)}
      {...rest}
    />
  );
}
