// Pages of a list: by a cursor or by a number, in the URL or not.
import { Button, Group, Pagination, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { count } from './figures.ts';

// Where a list with cursors stands: its page, the way on, and the way back that a cursor itself does not know.

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

interface CursorPagesProps {
  pages: Pages;
  /** What is listed, one of it and several: `device`, `devices`. */
  one: string;
  many: string;
  shown: number;
  /** Absent where the API does not say. */
  total?: number | null;
  endCursor: string | null | undefined;
  hasMore: boolean;
  /** True while another page is being read. */
  reading?: boolean;
}

/** The one foot of a list with cursors: how many rows there are, which page is shown, and the way to the others. */
export function CursorPages({ pages, endCursor, hasMore, reading = false, ...listed }: CursorPagesProps) {
  const { after, page, first, previous, next } = pages;
  const isAll = after === undefined && !hasMore;
  const last = !hasMore || endCursor === null || endCursor === undefined;
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed" className="figure" role="status">
        {textOf({ ...listed, isAll })}
      </Text>
      {!isAll && (
        <Group gap="xs">
          {after !== undefined && (
            <Step reading={reading} go={first}>
              First page
            </Step>
          )}
          {after !== undefined && previous && (
            <Step reading={reading} go={previous}>
              Page before
            </Step>
          )}
          {page !== null && (
            <Text size="sm" c="dimmed" className="figure">
              Page {count(page)}
            </Text>
          )}
          <Step reading={reading || last} go={() => !last && next(endCursor)}>
            Next page
          </Step>
        </Group>
      )}
    </Group>
  );
}

function Step({ reading, go, children }: { reading: boolean; go: () => void; children: string }) {
  return (
    <Button size="compact-sm" variant="default" disabled={reading} onClick={go}>
      {children}
    </Button>
  );
}

interface TextOf extends Pick<CursorPagesProps, 'one' | 'many' | 'shown' | 'total'> {
  isAll: boolean;
}

function textOf({ one, many, shown, total, isAll }: TextOf): string {
  const things = (number: number): string => `${count(number)} ${number === 1 ? one : many}`;
  if (isAll) return things(total ?? shown);
  if (total === null || total === undefined) return `${things(shown)} on this page`;
  return `${things(total)}, ${count(shown)} on this page`;
}

interface NumberedPagesProps {
  /** What is counted, for example `campaigns`. */
  what: string;
  total: number;
  /** From 1 on. */
  page: number;
  size: number;
  change: (page: number) => void;
}

const labels = { first: 'First page', previous: 'Page before', next: 'Next page', last: 'Last page' };

/** The pages of a list by number: which rows are shown, of how many, and the way to the others. */
export function NumberedPages({ what, total, page, size, change }: NumberedPagesProps) {
  const from = (page - 1) * size + 1;
  const to = Math.min(total, page * size);
  const rows = from <= to ? `${count(from)} to ${count(to)} of ` : '';
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed" className="figure" role="status">
        {rows}
        {count(total)} {what}
      </Text>
      {total > size && (
        <nav aria-label={`Pages of ${what}`}>
          <Pagination
            size="sm"
            total={Math.ceil(total / size)}
            value={page}
            onChange={change}
            getControlProps={(control) => ({ 'aria-label': labels[control] })}
            getItemProps={(at) => ({ 'aria-label': `Page ${at}` })}
          />
        </nav>
      )}
    </Group>
  );
}
