// Narrows the audit log by person, action and object; a new filter begins at the newest entry.
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { blankWords } from '../../parts/blankText.ts';
import type { AuditSearch } from '../searches.ts';

import { actions, objectTypes } from './words.ts';

type AuditFilter = Omit<AuditSearch, 'before'>;

const choicesOf = (any: string, words: Record<string, string>, chosen: string | undefined) => [
  { value: '', label: any },
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
  // A kind that this page does not know yet, from the URL or from a link of the table.
  ...(chosen !== undefined && !(chosen in words) ? [{ value: chosen, label: chosen }] : []),
];

const order: ('label' | 'input' | 'description')[] = ['label', 'input', 'description'];

export function AuditFilters({ search, change }: { search: AuditSearch; change: (filter: AuditFilter) => void }) {
  const { actor, action, objectType, objectId } = search;
  const [typed, setTyped] = useState({ actor: actor ?? '', objectId: objectId ?? '' });
  const kinds = { action, objectType };
  // An address has no blanks around it, an id of a device may.
  const texts = { actor: typed.actor.trim() || undefined, objectId: typed.objectId || undefined };
  const apply = (event: FormEvent): void => {
    event.preventDefault();
    change({ ...kinds, ...texts });
  };
  const isFiltered = [actor, action, objectType, objectId].some((value) => value !== undefined);
  return (
    <form onSubmit={apply}>
      <Group gap="xs" align="end">
        <TextInput
          size="xs"
          label="By"
          placeholder="E-mail address"
          maxLength={300}
          value={typed.actor}
          description={blankWords(typed.actor)}
          inputWrapperOrder={order}
          onChange={({ target }) => setTyped({ ...typed, actor: target.value })}
        />
        <NativeSelect
          size="xs"
          label="Action"
          data={choicesOf('All actions', actions, action)}
          value={action ?? ''}
          onChange={({ target }) => change({ ...texts, objectType, action: target.value || undefined })}
        />
        <NativeSelect
          size="xs"
          label="Kind of object"
          data={choicesOf('All kinds', objectTypes, objectType)}
          value={objectType ?? ''}
          onChange={({ target }) => change({ ...texts, action, objectType: target.value || undefined })}
        />
        <TextInput
          size="xs"
          label="Object"
          placeholder="Id, address or key"
          maxLength={256}
          value={typed.objectId}
          description={blankWords(typed.objectId)}
          inputWrapperOrder={order}
          onChange={({ target }) => setTyped({ ...typed, objectId: target.value })}
        />
        <Button size="xs" variant="default" type="submit">
          Filter
        </Button>
        {isFiltered && (
          <Button size="xs" variant="subtle" onClick={() => change({})}>
            Clear
          </Button>
        )}
      </Group>
    </form>
  );
}
