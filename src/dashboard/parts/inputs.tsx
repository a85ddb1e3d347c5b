// Fields into which text is typed.
import {
  Autocomplete,
  Box,
  Button,
  Group,
  NativeSelect,
  Paper,
  Text,
  Textarea,
  TextInput,
  type MantineSize,
  type NativeSelectProps,
  type TextInputProps,
} from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { blankWords, splitAtCommas, splitValues } from './values.ts';

interface TypedTextProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: string;
  change: (text: string) => void;
}

/** A text field for a search parameter: it changes the URL once typing pauses, and follows a change of the URL. */
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

interface TextFilterProps {
  label: string;
  /** Undefined: no filter. */
  value: string | undefined;
  change: (value: string | undefined) => void;
  /** Texts to choose from; any other can be typed. */
  options?: readonly string[];
}

/** A filter by a whole text: it counts once the field is left or Enter is pressed, not with each letter. */
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

interface ChoiceFilterProps<Value extends string> extends Omit<NativeSelectProps, 'data' | 'value' | 'onChange'> {
  /** What no filter is called. */
  any: string;
  words: Record<Value, string>;
  value: Value | undefined;
  change: (value: Value | undefined) => void;
}

/** A filter by one of a few words, or by none of them. */
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

interface WholeNumberInputProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value: number;
  /** NaN for what is no whole number. */
  change: (value: number) => void;
}

/** A field for a whole number that stays what was typed: a field that drops signs would make 10 of 1.0. */
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

interface ValuesInputProps {
  label: string;
  /** As it is typed: values.ts reads it. */
  value: string;
  change: (typed: string) => void;
  /** The values that were read, as they are to be seen. */
  shown: readonly string[];
  error?: ReactNode;
  size?: MantineSize;
  about?: string;
  /** What Enter does. It begins a new line unless given, as Shift and Enter always do. */
  enter?: () => void;
}

/** A field for a list of values, each of which is shown apart below it while somebody types. */
export function ValuesInput(props: ValuesInputProps) {
  const { label, value, change, shown, error, size, about = 'values with a comma and a blank between', enter } = props;
  return (
    <Box miw={0}>
      <Textarea
        size={size}
        label={label}
        description={about}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        autosize
        minRows={1}
        maxRows={8}
        value={value}
        onChange={({ target }) => change(target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || enter === undefined) return;
          event.preventDefault();
          enter();
        }}
        error={error}
      />
      {shown.length > 0 && (
        <Group
          gap={4}
          mt={4}
          mb={0}
          p={0}
          component="ul"
          style={{ listStyle: 'none' }}
          aria-label={`Read in “${label}”`}
        >
          {shown.map((one, at) => (
            <Paper
              key={at}
              component="li"
              withBorder
              maw="100%"
              px={6}
              radius={4}
              fz={12}
              bg="var(--surface)"
              style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
            >
              <bdi>{one}</bdi>
            </Paper>
          ))}
        </Group>
      )}
      {splitValues(splitAtCommas(value)).length > splitValues(value).length && (
        <Text size="xs" c="dimmed" component="div" mt={4}>
          A comma without a blank behind it belongs to its value.{' '}
          <Button size="compact-xs" variant="default" onClick={() => change(splitAtCommas(value))}>
            Split at every comma
          </Button>
        </Text>
      )}
    </Box>
  );
}
