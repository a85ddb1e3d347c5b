// A filter by a whole text: it counts once the field is left or Enter is pressed, not with each letter.
import { Autocomplete, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { blankWords } from '../blankText.ts';

interface TextFilterProps {
  label: string;
  /** Undefined: no filter. */
  value: string | undefined;
  change: (value: string | undefined) => void;
  /** Texts to choose from; any other can be typed. */
  options?: readonly string[];
}

export function TextFilter({ label, value, change, options }: TextFilterProps) {
  const [text, setText] = useState(value ?? '');
  useEffect(() => setText(value ?? ''), [value]);
  const commit = (next: string): void => {
    const wanted = next === '' ? undefined : next;
    if (wanted !== value) change(wanted);
  };
  const field = {
    size: 'xs',
    label,
    value: text,
    placeholder: 'any',
    maxLength: 256,
    description: blankWords(text),
    inputWrapperOrder: ['label', 'input', 'description'] as ('label' | 'input' | 'description')[],
    onBlur: () => commit(text),
    onKeyDown: ({ key }: React.KeyboardEvent) => key === 'Enter' && commit(text),
  };
  if (options === undefined) return <TextInput {...field} onChange={({ target }) => setText(target.value)} />;
  return <Autocomplete {...field} data={[...options]} limit={50} onChange={setText} onOptionSubmit={commit} />;
}
