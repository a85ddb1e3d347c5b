// The pages of a list by number: which rows are shown, of how many, and the way to the others.
import { Group, Pagination, Text } from '@mantine/core';
import { count } from '../figures.ts';

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
