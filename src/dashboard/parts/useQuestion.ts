// A query whose figures are never shown for another question: `useQuery` keeps the last response while it asks anew.
import type { TypedDocumentNode } from '@urql/core';
import { useQuery, type AnyVariables, type CombinedError } from 'urql';

export interface Answered<Data> {
  data?: Data;
  error?: CombinedError;
  fetching: boolean;
}

interface Question<Data, Variables extends AnyVariables> {
  query: TypedDocumentNode<Data, Variables>;
  variables: Variables;
  /** Nothing is asked yet. */
  pause?: boolean;
}

/** Returns the response, and what reads it anew. */
export function useQuestion<Data, Variables extends AnyVariables>(
  question: Question<Data, Variables>,
): [Answered<Data>, () => void] {
  const { query, variables, pause = false } = question;
  const [result, reread] = useQuery<Data, AnyVariables>({ query, variables, pause });
  const asked = JSON.stringify(result.operation?.variables) === JSON.stringify(variables);
  const answered = asked ? result : { fetching: true };
  return [answered, () => reread({ requestPolicy: 'network-only' })];
}
