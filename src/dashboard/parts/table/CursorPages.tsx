// The one foot of a list with cursors: how many rows there are, which page is shown, and the way to the others.
import { Button, Group, Text } from '@mantine/core';
import { count } from '../figures.ts';
import { pageBefore, pageOf, rememberNext } from './pages.ts';

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
  /** True while another page is being read. */
  reading?: boolean;
  /** Shows the page after this cursor. Undefined: the first page. */
  go: (after: string | undefined) => void;
}

export function CursorPages({ things, shown, total, ...steps }: CursorPagesProps) {
  const all = steps.after === undefined && !steps.hasMore;
  const known = total ?? (all ? shown : null);
  return (
    <Group justify="space-between" mt="sm" gap="xs">
      <Text size="sm" c="dimmed" className="figure" role="status">
        {known === null ? `${count(shown)} ${things} on this page` : `${count(known)} ${things}`}
        {known !== null && !all && `, ${count(shown)} on this page`}
      </Text>
      {!all && <Steps {...steps} />}
    </Group>
  );
}

function Steps({ after, endCursor, hasMore, reading = false, go }: Omit<CursorPagesProps, 'things' | 'shown'>) {
  const page = pageOf(after);
  const before = pageBefore(after);
  const next = hasMore ? (endCursor ?? null) : null;
  const goOn = (): void => {
    if (next === null) return;
    rememberNext(after, next);
    go(next);
  };
  return (
    <Group gap="xs">
      {after !== undefined && (
        <Step disabled={reading} go={() => go(undefined)}>
          First page
        </Step>
      )}
      {before !== null && (
        <Step disabled={reading} go={() => go(before.after)}>
          Page before
        </Step>
      )}
      {page !== null && (
        <Text size="sm" c="dimmed" className="figure">
          Page {count(page)}
        </Text>
      )}
      <Step disabled={reading || next === null} go={goOn}>
        Next page
      </Step>
    </Group>
  );
}

function Step({ disabled, go, children }: { disabled: boolean; go: () => void; children: string }) {
  return (
    <Button size="compact-sm" variant="default" disabled={disabled} onClick={go}>
      {children}
    </Button>
  );
}
