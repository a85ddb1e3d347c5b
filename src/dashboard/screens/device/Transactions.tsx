// The device's transactions at the store, with the state of their look-up.
import type { DevicePurchasesQuery } from '../../../../generated/screens/device/graphql.ts';
import { time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Price } from '../../parts/purchases/Price.tsx';
import { ProductName } from '../../parts/purchases/ProductName.tsx';
import { reasonText, states } from '../../parts/purchases/words.ts';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import type { DevicePart } from './Device.tsx';
import { None } from './None.tsx';

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
    { key: 'state', head: 'State', title: stateOf, cell: stateOf },
    { key: 'product', head: 'Product', cell: (transaction) => <ProductName {...transaction} /> },
    { key: 'price', head: 'Price', numeric: true, cell: (transaction) => <Price {...transaction} /> },
    { key: 'bought', head: 'Bought', cell: ({ purchasedAt }) => optional(purchasedAt) },
    { key: 'ends', head: 'Paid until', cell: ({ expiresAt }) => optional(expiresAt) },
    { key: 'revoked', head: 'Taken back', cell: ({ revokedAt }) => optional(revokedAt) },
    { key: 'id', head: 'Transaction', cell: ({ id }) => <GivenText text={id} cut /> },
  ];
}

const stateOf = ({ state, reason }: Transaction): string =>
  reason === null ? states[state] : `${states[state]}: ${reasonText(reason)}`;
