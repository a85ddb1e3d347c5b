// Reads a query anew, turn after turn, so that what is new on the service appears by itself.
import { useEffect } from 'react';
import type { UseQueryExecute, UseQueryState } from 'urql';

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
