// Narrows the list of members, and says beside it what the last change did.
import { Group, NativeSelect, Text } from '@mantine/core';
import { roles } from '../../parts/people.ts';
import { TypedText } from '../../parts/TypedText.tsx';
import { teamStatuses, type TeamSearch } from '../searches.ts';

interface TeamFilterProps {
  search: TeamSearch;
  change: (next: TeamSearch) => void;
  done: string | null;
}

const anyStatus = { value: '', label: 'Any status' };
const anyRole = { value: '', label: 'Any role' };
const statusChoices = teamStatuses.map((value) => ({ value, label: value[0]!.toUpperCase() + value.slice(1) }));

export function TeamFilter({ search, change, done }: TeamFilterProps) {
  return (
    <Group gap="xs">
      <TypedText
        size="sm"
        aria-label="Search by name or address"
        placeholder="Name or address"
        value={search.q ?? ''}
        change={(text) => change({ ...search, q: text || undefined })}
      />
      <NativeSelect
        aria-label="Role"
        data={[anyRole, ...roles.map(({ value, label }) => ({ value, label }))]}
        value={search.role ?? ''}
        onChange={({ target }) => change({ ...search, role: (target.value || undefined) as TeamSearch['role'] })}
      />
      <NativeSelect
        aria-label="Status"
        data={[anyStatus, ...statusChoices]}
        value={search.status ?? ''}
        onChange={({ target }) => change({ ...search, status: (target.value || undefined) as TeamSearch['status'] })}
      />
      <Text size="sm" role="status">
        {done}
      </Text>
    </Group>
  );
}
