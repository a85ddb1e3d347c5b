// The tokens that nobody has revoked: what each reaches, and whether a program still uses it.
import { Button, Text } from '@mantine/core';
import type { ServiceTokensQuery } from '../../../../generated/screens/serviceTokens/graphql.ts';
import { time } from '../../parts/figures.ts';
import { ownTimeZone, roleLabel } from '../../parts/people.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { applicationsOf, useMe, type Me } from '../../session/me.ts';

export type Token = ServiceTokensQuery['serviceTokens'][number];

export function ServiceTokensTable({ tokens, revoke }: { tokens: Token[]; revoke: (token: Token) => void }) {
  const me = useMe();
  const columns: Column<Token>[] = [
    { key: 'name', head: 'Name', title: ({ name }) => name, cell: ({ name }) => name },
    { key: 'role', head: 'Role', cell: ({ role }) => roleLabel(role) },
    {
      key: 'applications',
      head: 'Applications',
      title: (token) => reachOf(token, me),
      cell: (token) => reachOf(token, me),
    },
    {
      key: 'used',
      head: 'Last used',
      cell: ({ lastUsedAt }) => (lastUsedAt ? time(lastUsedAt, ownTimeZone) : 'Never'),
    },
    { key: 'expires', head: 'Expires', cell: (token) => <Expiry token={token} /> },
    { key: 'created', head: 'Created', cell: ({ createdAt }) => time(createdAt, ownTimeZone) },
    { key: 'by', head: 'By', title: ({ createdBy }) => createdBy, cell: ({ createdBy }) => createdBy },
    {
      key: 'actions',
      head: 'Actions',
      cell: (token) => (
        <Button
          size="compact-xs"
          variant="default"
          c="var(--bad)"
          aria-label={`Revoke ${token.name}`}
          onClick={() => revoke(token)}
        >
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <DataTable
      caption="Service tokens, newest first"
      columns={columns}
      rows={tokens}
      rowKey={({ id }) => id}
      empty={<Empty title="No service tokens yet">Create one for each program that calls the admin API.</Empty>}
    />
  );
}

function Expiry({ token: { expiresAt } }: { token: Token }) {
  if (!expiresAt) return 'Never';
  const isOver = Date.parse(expiresAt) <= Date.now();
  return (
    <Text size="sm" span c={isOver ? 'var(--bad)' : undefined}>
      {isOver && 'Expired '}
      {time(expiresAt, ownTimeZone)}
    </Text>
  );
}

function reachOf({ applicationIds }: Token, me: Me): string {
  if (!applicationIds) return 'All';
  const applications = applicationsOf(me);
  return applicationIds
    .map((id) => applications.find((application) => application.id === id)?.name ?? `${id} (deleted)`)
    .join(', ');
}
