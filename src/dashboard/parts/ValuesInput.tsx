// A field for a list of values, each of which is shown apart below it while somebody types.
import { Box, Button, Group, Paper, Text, Textarea, type MantineSize } from '@mantine/core';
import type { ReactNode } from 'react';
import { splitAtCommas, splitValues } from './values.ts';

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
