// Reads a query anew, turn after turn, so that what is new on the service appears by itself.
import { useEffect } from 'react';
import type { UseQueryExecute, UseQueryState } from 'urql';

type Read = Pick<UseQueryState, 'fetching' | 'stale'>;

/**
 * No turn while a read is under way: it would abort that read, and where each takes longer than a turn none would end.
 * No turn either while the tab is in the background, or where `everyMillis` is null.
 */
export function useReread({ fetching, stale }: Read, read: UseQueryExecute, everyMillis: number | null): void {
  // `stale`: what the cache has is shown while the service is asked.
  const underWay = fetching || stale;
  useEffect(() => {
    if (everyMillis === null || underWay) return;
    const turn = (): void => {
      if (document.visibilityState === 'visible') read({ requestPolicy: 'network-only' });
    };
    const timer = setInterval(turn, everyMillis);
    return () => clearInterval(timer);
  }, [underWay, read, everyMillis]);
}
