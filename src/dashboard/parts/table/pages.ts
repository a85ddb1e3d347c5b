// Where a list with cursors stands: its page, the way on, and the way back that a cursor itself does not know.
import { useRef, useState } from 'react';

export interface Pages {
  /** For the query; undefined on the first page. */
  after: string | undefined;
  /** From 1 on. Null where the URL began at a later page. */
  page: number | null;
  first: () => void;
  /** Null where the page before is not known. */
  previous: (() => void) | null;
  next: (endCursor: string) => void;
}

/** Pages that the URL names. `go` changes it. */
export function usePages(after: string | undefined, go: (after: string | undefined) => void): Pages {
  // The cursor of each page that "Next page" has led to, with the page before.
  const before = useRef(new Map<string, { after: string | undefined; page: number | null }>());
  const last = after === undefined ? undefined : before.current.get(after);
  const page = after === undefined ? 1 : last === undefined || last.page === null ? null : last.page + 1;
  return {
    after,
    page,
    first: () => go(undefined),
    previous: last ? () => go(last.after) : null,
    next: (endCursor) => {
      before.current.set(endCursor, { after, page });
      go(endCursor);
    },
  };
}

/** Pages that no URL names, of a list in a drawer. They begin anew when `question` changes. */
export function useOwnPages(question: string): Pages {
  const [kept, keep] = useState<{ question: string; after: string | undefined }>({ question, after: undefined });
  const after = kept.question === question ? kept.after : undefined;
  return usePages(after, (next) => keep({ question, after: next }));
}
