// Asks before something is done that cannot be taken back or that many devices see; the name may have to be typed.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { ApiError } from '../api/apiError.ts';
import { ErrorState } from './states.tsx';

interface ConfirmProps {
  opened: boolean;
  close: () => void;
  title: string;
  /** What happens, and what stays. */
  children: ReactNode;
  label: string;
  /** The text that has to be typed first. */
  typed?: string;
  /** False: it can be taken back. */
  danger?: boolean;
  sending?: boolean;
  error?: ApiError | null;
  confirm: () => void;
}

export function Confirm(props: ConfirmProps) {
  const { opened, close, title, children, label, typed, danger = true, sending = false, error, confirm } = props;
  const [text, setText] = useState('');
  return (
    <Modal opened={opened} onClose={close} onExitTransitionEnd={() => setText('')} title={title}>
      <Stack
        gap="sm"
        component="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!sending && (typed === undefined || text === typed)) confirm();
        }}
      >
        <Text size="sm" component="div">
          {children}
        </Text>
        {typed !== undefined && (
          <TextInput
            label={`Type “${typed}” to go on`}
            autoComplete="off"
            data-autofocus
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        )}
        {error && <ErrorState error={error} />}
        <Group justify="end" gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button
            type="submit"
            color={danger ? 'red' : undefined}
            loading={sending}
            disabled={typed !== undefined && text !== typed}
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
