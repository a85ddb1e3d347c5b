// The way back in a list with cursors: a cursor knows the rows after it, and not the page before.

interface Page {
  /** The cursor at which it begins; undefined for the first page. */
  after: string | undefined;
  /** From 1 on. Null where the URL began at a later page. */
  page: number | null;
}

/** Of each page that "Next page" has led to, the page before. It outlives the list, which goes while a page is read. */
const before = new Map<string, Page>();

// Two screens may have the same cursor.
const keyOf = (after: string): string => `${location.pathname} ${after}`;

export function pageOf(after: string | undefined): number | null {
  if (after === undefined) return 1;
  const page = before.get(keyOf(after))?.page ?? null;
  return page === null ? null : page + 1;
}

/** Null where nobody has come from the page before. */
export function pageBefore(after: string | undefined): Page | null {
  return (after === undefined ? undefined : before.get(keyOf(after))) ?? null;
}

/** The page at `next` follows the one at `after`. */
export function rememberNext(after: string | undefined, next: string): void {
  before.set(keyOf(next), { after, page: pageOf(after) });
}
