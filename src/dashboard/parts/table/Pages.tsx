// The one way to page a list by its cursors: back and forth, with the number of the page.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';

export interface Pages {
  /** For `after` of the query: null on the first page. */
  after: string | null;
  /** From 1 on. */
  page: number;
  next: (endCursor: string) => void;
  back: () => void;
}

/** Begins at the first page again when `question` changes. */
export function usePages(question: string): Pages {
  const [kept, keep] = useState<{ question: string; cursors: string[] }>({ question, cursors: [] });
  const cursors = kept.question === question ? kept.cursors : [];
  return {
    after: cursors.at(-1) ?? null,
    page: cursors.length + 1,
    next: (endCursor) => keep({ question, cursors: [...cursors, endCursor] }),
    back: () => keep({ question, cursors: cursors.slice(0, -1) }),
  };
}

interface PageButtonsProps {
  pages: Pages;
  endCursor: string | null | undefined;
  hasMore: boolean;
  /** True while another page is being read. */
  reading?: boolean;
}

/** Nothing where the list has one page alone. */
export function PageButtons({ pages, endCursor, hasMore, reading = false }: PageButtonsProps) {
  if (pages.page === 1 && !hasMore) return null;
  const last = !hasMore || endCursor === null || endCursor === undefined;
  return (
    <Group gap="xs" justify="end" mt="xs">
      <Text size="sm" c="dimmed" role="status">
        Page {pages.page}
      </Text>
      <Button size="compact-sm" variant="default" disabled={pages.page === 1 || reading} onClick={pages.back}>
        Previous
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={last || reading}
        onClick={() => !last && pages.next(endCursor)}
      >
        Next
      </Button>
    </Group>
  );
}
