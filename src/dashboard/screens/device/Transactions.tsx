// The device's transactions at the store, with the state of their look-up.
import type { DevicePurchasesQuery } from '../../../../generated/screens/device/graphql.ts';
import { money, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import type { DevicePart } from './Device.tsx';
import { words } from './words.ts';

type Transaction = NonNullable<DevicePurchasesQuery['device']>['transactions'][number];

export function Transactions({ timeZone, transactions }: DevicePart & { transactions: Transaction[] }) {
  return (
    <DataTable
      caption="Transactions, the one that arrived last first"
      rows={transactions}
      rowKey={({ id }) => id}
      empty={<Empty title="None">The device has uploaded no transaction.</Empty>}
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
      cell: ({ productId }) => (productId === null ? '—' : <GivenText text={productId} cut />),
    },
    {
      key: 'price',
      head: 'Price',
      numeric: true,
      cell: ({ price, currency }) => (price === null || currency === null ? '—' : money(price, currency)),
    },
    { key: 'quantity', head: 'Quantity', numeric: true, cell: ({ quantity }) => quantity ?? '—' },
    { key: 'bought', head: 'Bought', cell: ({ purchasedAt }) => optional(purchasedAt) },
    { key: 'ends', head: 'Paid until', cell: ({ expiresAt }) => optional(expiresAt) },
    { key: 'revoked', head: 'Taken back', cell: ({ revokedAt }) => optional(revokedAt) },
    {
      key: 'environment',
      head: 'Environment',
      cell: ({ environment }) => (environment === null ? '—' : words(environment)),
    },
    { key: 'id', head: 'Transaction', cell: ({ id }) => <GivenText text={id} cut /> },
  ];
}
