// Dialogs: one with a form, and questions before something is done that cannot be taken back.
import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { TypedDocumentNode } from '@urql/core';
import { useState, type ReactNode } from 'react';
import { useMutation, type AnyVariables } from 'urql';
import { apiErrorOf, type ApiError } from '../api/apiError.ts';
import { ErrorState } from './states.tsx';

interface DialogProps {
  opened: boolean;
  close: () => void;
  title: string;
  children: ReactNode;
}

/** A dialog with a form: it begins anew each time it opens, and gives the focus back when it closes. */
export function Dialog({ opened, close, title, children }: DialogProps) {
  return (
    // Without a transition its content is not seen empty while it goes away.
    <Modal opened={opened} onClose={close} title={title} transitionProps={{ duration: 0 }} closeOnClickOutside={false}>
      {opened && children}
    </Modal>
  );
}

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

/** Asks before something is done that cannot be taken back or that many devices see; the name may have to be typed. */
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
            labelProps={{ style: { overflowWrap: 'anywhere' } }}
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

interface ConfirmedMutationProps<Data, Variables extends AnyVariables> {
  document: TypedDocumentNode<Data, Variables>;
  /** Null: nothing is asked. */
  variables: Variables | null;
  /** Types whose queries are read again: the response of a deletion has no object. */
  changes: string[];
  close: () => void;
  done?: () => void;
  title: string;
  /** What happens, and what stays. */
  children: ReactNode;
  label: string;
  typed?: string;
}

/** A mutation that is asked for once more before it is sent: a deletion, a revocation. */
export function ConfirmedMutation<Data, Variables extends AnyVariables>({
  document,
  variables,
  changes,
  close,
  done,
  children,
  ...shown
}: ConfirmedMutationProps<Data, Variables>) {
  const [{ fetching }, send] = useMutation(document);
  const [error, setError] = useState<ApiError | null>(null);
  const leave = (): void => {
    setError(null);
    close();
  };
  const confirm = async (): Promise<void> => {
    const result = await send(variables!, { additionalTypenames: changes });
    setError(apiErrorOf(result.error));
    if (result.error) return;
    close();
    done?.();
  };
  return (
    <Confirm
      {...shown}
      opened={variables !== null}
      close={leave}
      sending={fetching}
      error={error}
      confirm={() => void confirm()}
    >
      {children}
    </Confirm>
  );
}
