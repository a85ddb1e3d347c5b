// A change without a form, such as a removal: sends it, and keeps what went wrong until the next try.
import type { TypedDocumentNode } from '@urql/core';
import { useState } from 'react';
import { useMutation, type AnyVariables } from 'urql';
import { apiErrorOf, type ApiError } from '../../api/apiError.ts';

export interface Action<Data, Variables> {
  /** Null where the service refused it. */
  run: (variables: Variables) => Promise<Data | null>;
  sending: boolean;
  error: ApiError | null;
  clear: () => void;
}

export function useAction<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
): Action<Data, Variables> {
  const [{ fetching }, send] = useMutation(document);
  const [error, setError] = useState<ApiError | null>(null);
  const run = async (variables: Variables): Promise<Data | null> => {
    setError(null);
    const result = await send(variables);
    const problem = apiErrorOf(result.error);
    setError(problem);
    return problem ? null : (result.data as Data);
  };
  return { run, sending: fetching, error, clear: () => setError(null) };
}
