// A text field for a search parameter: it changes the URL once typing pauses, and follows a change of the URL.
import { TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { blankWords } from './blankText.ts';

interface TypedTextProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  change: (text: string) => void;
}

export function TypedText({ value, change, ...props }: TypedTextProps) {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const send = useDebouncedCallback((next: string) => {
    setSent(next);
    change(next);
  }, 300);
  useEffect(() => {
    // Not the own change that comes back while somebody types on.
    if (value !== sent) {
      setText(value);
      setSent(value);
    }
  }, [value, sent]);
  return (
    <TextInput
      size="xs"
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      description={blankWords(text)}
      {...props}
      value={text}
      onChange={({ target }) => {
        setText(target.value);
        send(target.value);
      }}
    />
  );
}
