// A mutation that is asked for once more before it is sent: a deletion, a revocation.
import type { TypedDocumentNode } from '@urql/core';
import { useState, type ReactNode } from 'react';
import { useMutation, type AnyVariables } from 'urql';
import { apiErrorOf, type ApiError } from '../api/apiError.ts';
import { Confirm } from './Confirm.tsx';

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
