// The one foot of a list with cursors: how many rows there are, which page is shown, and the way to the others.
import { Button, Group, Text } from '@mantine/core';
import { count } from '../figures.ts';
import type { Pages } from './pages.ts';

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
