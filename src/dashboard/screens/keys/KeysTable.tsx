// The keys of an application: whose they are, when they were last used, and what can be done with each.
import { Badge, Button, Group, Text } from '@mantine/core';
import type { KeysListQuery } from '../../../../generated/screens/keys/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { ago, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';

export type Key = NonNullable<KeysListQuery['applications'][number]['apiKeys']>[number];
export type KeyAction = 'secret' | 'label' | 'revoke';

interface KeysTableProps {
  keys: Key[];
  timeZone: string;
  act: (action: KeyAction, key: Key) => void;
}

/** How people tell keys apart: the label, else the beginning of the public key. */
export const nameOf = (key: Key): string => key.label ?? `${key.public.slice(0, 12)}…`;

export function KeysTable({ keys, timeZone, act }: KeysTableProps) {
  const columns: Column<Key>[] = [
    {
      key: 'label',
      head: 'Label',
      title: ({ label }) => label ?? undefined,
      cell: ({ label, revokedAt }) => (
        <Group gap={6} wrap="nowrap">
          {label === null ? (
            <Text size="sm" c="dimmed">
              No label
            </Text>
          ) : (
            <Text size="sm" truncate>
              {label}
            </Text>
          )}
          {revokedAt !== null && (
            <Badge size="xs" variant="default">
              revoked
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'public',
      head: 'Public key',
      cell: (key) => <Copy value={key.public} label={`the public key of ${nameOf(key)}`} />,
    },
    {
      key: 'used',
      head: `Last used (${timeZone})`,
      cell: ({ lastUsed }) => <Used at={lastUsed} timeZone={timeZone} />,
    },
    { key: 'created', head: 'Created', cell: ({ createdAt }) => time(createdAt, timeZone) },
    {
      key: 'by',
      head: 'By',
      title: ({ createdBy }) => createdBy ?? undefined,
      cell: ({ createdBy }) => createdBy ?? '—',
    },
    {
      key: 'revoked',
      head: 'Revoked',
      cell: ({ revokedAt }) => (revokedAt === null ? '—' : time(revokedAt, timeZone)),
    },
    { key: 'actions', head: 'Actions', cell: (key) => <Actions of={key} act={(action) => act(action, key)} /> },
  ];
  const shown = keys.some(({ revokedAt }) => revokedAt !== null)
    ? columns
    : columns.filter(({ key }) => key !== 'revoked');
  return (
    <DataTable
      caption="Keys, oldest first"
      columns={shown}
      rows={keys}
      rowKey={(key) => key.public}
      empty={
        <Empty title="No live key">The API takes nothing for this application until it has a key: create one.</Empty>
      }
    />
  );
}

function Used({ at, timeZone }: { at: string | null; timeZone: string }) {
  if (at === null) {
    return (
      <Text size="sm" c="dimmed">
        Never
      </Text>
    );
  }
  return (
    <>
      {time(at, timeZone)}{' '}
      <Text span size="xs" c="dimmed">
        {ago(at)}
      </Text>
    </>
  );
}

function Actions({ of: key, act }: { of: Key; act: (action: KeyAction) => void }) {
  const button = (action: KeyAction, label: string) => (
    <Button size="compact-xs" variant="default" onClick={() => act(action)} aria-label={`${label}: ${nameOf(key)}`}>
      {label}
    </Button>
  );
  return (
    <Group gap={6} wrap="nowrap">
      {key.revokedAt === null && button('secret', 'Secret …')}
      {button('label', 'Label …')}
      {key.revokedAt === null && button('revoke', 'Revoke …')}
    </Group>
  );
}
