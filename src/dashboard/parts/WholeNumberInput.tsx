// A field for a whole number that stays what was typed: a field that drops signs would make 10 of 1.0.
import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

interface WholeNumberInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: number;
  /** NaN for what is no whole number. */
  change: (value: number) => void;
}

export function WholeNumberInput({ value, change, ...props }: WholeNumberInputProps) {
  const [text, setText] = useState(written(value));
  // Another number than the typed one comes from elsewhere: a link, or the way back.
  const shown = Object.is(numberOf(text), value) ? text : written(value);
  return (
    <TextInput
      {...props}
      inputMode="numeric"
      value={shown}
      onChange={({ target }) => {
        setText(target.value);
        change(numberOf(target.value));
      }}
    />
  );
}

const written = (value: number): string => (Number.isNaN(value) ? '' : String(value));
const numberOf = (text: string): number => (/^\d+$/.test(text.trim()) ? Number(text) : NaN);
