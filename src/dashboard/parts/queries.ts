// Reads of the API: again from time to time, and figures that are never shown for another question.
import type { TypedDocumentNode } from '@urql/core';
import { useEffect, useState } from 'react';
import { useQuery, type AnyVariables, type CombinedError, type UseQueryExecute, type UseQueryState } from 'urql';

/** The last value that was there: a drawer that closes does not become empty before it is gone. */
export function useLast<Value>(value: Value | null): Value | null {
  const [last, setLast] = useState(value);
  if (value !== null && value !== last) setLast(value);
  return value ?? last;
}

// A query whose figures are never shown for another question: `useQuery` keeps the last response while it asks anew.

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

// Reads a query anew, turn after turn, so that what is new on the service appears by itself.

type Read = Pick<UseQueryState, 'fetching' | 'stale'>;

/** A read under way for so long gets no answer any more: its connection may be gone without a word. */
const lostMillis = 30_000;

/**
 * A turn would abort a read that is under way, and where each takes longer than a turn none would end: the turns go on when
 * it has ended, or is lost. None comes while the tab is in the background, or where `everyMillis` is null.
 */
export function useReread({ fetching, stale }: Read, read: UseQueryExecute, everyMillis: number | null): void {
  // `stale`: what the cache has is shown while the service is asked.
  const underWay = fetching || stale;
  useEffect(() => {
    if (everyMillis === null) return;
    const turn = (): void => {
      if (document.visibilityState === 'visible') read({ requestPolicy: 'network-only' });
    };
    const timer = setInterval(turn, underWay ? lostMillis : everyMillis);
    return () => clearInterval(timer);
  }, [underWay, read, everyMillis]);
}
