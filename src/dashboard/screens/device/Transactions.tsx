// The device's transactions at the store, with the state of their look-up.
import { Badge, Group } from '@mantine/core';
import type { DevicePurchasesQuery } from '../../../../generated/screens/device/graphql.ts';
import { money, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import type { DevicePart } from './Device.tsx';
import { None } from './None.tsx';
import { words } from './words.ts';

type Transaction = NonNullable<DevicePurchasesQuery['device']>['transactions'][number];

export function Transactions({ timeZone, transactions }: DevicePart & { transactions: Transaction[] }) {
  return (
    <DataTable
      caption="Transactions, the one that arrived last first"
      rows={transactions}
      rowKey={({ id }) => id}
      empty={<None>The device has uploaded no transaction, and holds no line that has one.</None>}
      columns={columnsOf(timeZone)}
    />
  );
}

function columnsOf(timeZone: string): Column<Transaction>[] {
  const optional = (instant: string | null): string => (instant === null ? '—' : time(instant, timeZone));
  return [
    { key: 'arrived', head: 'Arrived', cell: ({ receivedAt }) => time(receivedAt, timeZone) },
    {
      key: 'state',
      head: 'Look-up',
      cell: ({ state, reason }) => `${words(state)}${reason === null ? '' : `: ${words(reason)}`}`,
    },
    {
      key: 'product',
      head: 'Product',
      cell: ({ productId, environment }) => (
        <Group gap={6} wrap="nowrap">
          {productId === null ? '—' : <GivenText text={productId} cut />}
          {environment === 'SANDBOX' && (
            <Badge size="xs" variant="default">
              sandbox
            </Badge>
          )}
        </Group>
      ),
    },
    { key: 'price', head: 'Price', numeric: true, cell: priceOf },
    { key: 'bought', head: 'Bought', cell: ({ purchasedAt }) => optional(purchasedAt) },
    { key: 'ends', head: 'Paid until', cell: ({ expiresAt }) => optional(expiresAt) },
    { key: 'revoked', head: 'Taken back', cell: ({ revokedAt }) => optional(revokedAt) },
    { key: 'id', head: 'Transaction', cell: ({ id }) => <GivenText text={id} cut /> },
  ];
}

function priceOf({ price, currency, quantity }: Transaction): string {
  if (price === null || currency === null) return '—';
  return `${money(price, currency)}${quantity === null || quantity === 1 ? '' : ` × ${quantity}`}`;
}
