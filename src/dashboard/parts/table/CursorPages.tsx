// Steps through a list page by page: the place in the list is in the URL, so Back goes to the page before.
import { Button, Group, Text } from '@mantine/core';

interface CursorPagesProps {
  /** The place from which the present page was read. Undefined: the first page. */
  after: string | undefined;
  page: { endCursor?: string | null; hasMore: boolean };
  go: (after: string | undefined) => void;
}

export function CursorPages({ after, page: { endCursor, hasMore }, go }: CursorPagesProps) {
  if (after === undefined && !hasMore) return null;
  return (
    <Group gap="xs" mt="sm">
      <Button size="compact-sm" variant="default" disabled={after === undefined} onClick={() => go(undefined)}>
        First page
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        disabled={!hasMore || endCursor == null}
        onClick={() => go(endCursor ?? undefined)}
      >
        Next page
      </Button>
      {!hasMore && (
        <Text size="xs" c="dimmed">
          This is the last page.
        </Text>
      )}
    </Group>
  );
}
