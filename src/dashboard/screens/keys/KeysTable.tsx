// The keys of an application: whose they are, when they were last used, and what can be done with each.
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import type { KeysListQuery } from '../../../../generated/screens/keys/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import { ago, time } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TwoLines } from '../../parts/table/TwoLines.tsx';
import classes from './KeysTable.module.css';

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
      key: 'key',
      head: 'Key',
      title: ({ label }) => label ?? undefined,
      cell: (key) => <Name of={key} timeZone={timeZone} />,
    },
    {
      key: 'used',
      head: `Last used (${timeZone})`,
      cell: ({ lastUsed: at }) =>
        at === null ? <Dimmed text="Never" /> : <TwoLines first={time(at, timeZone)} second={ago(at)} />,
    },
    {
      key: 'created',
      head: 'Created',
      className: classes.by,
      title: ({ createdBy }) => createdBy ?? undefined,
      cell: ({ createdAt, createdBy }) => (
        <TwoLines first={time(createdAt, timeZone)} second={createdBy === null ? '' : `by ${createdBy}`} />
      ),
    },
    { key: 'actions', head: 'Actions', cell: (key) => <Actions of={key} act={(action) => act(action, key)} /> },
  ];
  return (
    <DataTable
      caption="Keys, oldest first"
      columns={columns}
      rows={keys}
      rowKey={(key) => key.public}
      empty={
        <Empty title="No live key">The API takes nothing for this application until it has a key: create one.</Empty>
      }
    />
  );
}

/** The label above the public key. */
function Name({ of: key, timeZone }: { of: Key; timeZone: string }) {
  return (
    <Stack gap={4}>
      <Group gap={6} wrap="nowrap">
        {key.label === null ? (
          <Dimmed text="No label" />
        ) : (
          <Text inherit truncate>
            {key.label}
          </Text>
        )}
        {key.revokedAt !== null && (
          <Badge size="sm" variant="default" tt="none" className={classes.badge}>
            Revoked {time(key.revokedAt, timeZone, 'date')}
          </Badge>
        )}
      </Group>
      <Copy value={key.public} label={`the public key of ${nameOf(key)}`} />
    </Stack>
  );
}

const Dimmed = ({ text }: { text: string }) => (
  <Text inherit c="dimmed">
    {text}
  </Text>
);

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
