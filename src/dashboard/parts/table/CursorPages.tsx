// The foot of a list with a cursor: how many there are, the next page, and the way back.
import { Button, Group, Text } from '@mantine/core';
import { count } from '../figures.ts';

interface CursorPagesProps {
  /** What is listed, for example `devices`. */
  things: string;
  shown: number;
  /** Null where the API does not say. */
  total?: number | null;
  /** Where the page begins; absent on the first page. */
  after: string | undefined;
  endCursor: string | null | undefined;
  hasMore: boolean;
  /** Shows the page after this cursor. Undefined: the first page. */
  go: (after: string | undefined) => void;
}

export function CursorPages({ things, shown, total, after, endCursor, hasMore, go }: CursorPagesProps) {
  const all = after === undefined && !hasMore;
  const known = total ?? (all ? shown : null);
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed" className="figure" role="status">
        {known === null ? `${count(shown)} ${things} on this page` : `${count(known)} ${things}`}
        {known !== null && !all && `, ${count(shown)} on this page`}
      </Text>
      {!all && (
        <Group gap="xs">
          {after !== undefined && (
            <>
              <Button size="compact-sm" variant="default" onClick={() => go(undefined)}>
                First page
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => history.back()}>
                Back
              </Button>
            </>
          )}
          {hasMore && endCursor != null && (
            <Button size="compact-sm" variant="default" onClick={() => go(endCursor)}>
              Next page
            </Button>
          )}
        </Group>
      )}
    </Group>
  );
}
