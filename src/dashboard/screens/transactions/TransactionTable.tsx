// The list of transactions: what was bought, for how much, and how far the look-up is.
import { Text } from '@mantine/core';
import { time } from '../../parts/figures.ts';
import { OpenButton } from '../../parts/OpenButton.tsx';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { Price } from '../../parts/purchases/Price.tsx';
import { ProductName } from '../../parts/purchases/ProductName.tsx';
import { kinds, offers, reasonText, states } from '../../parts/purchases/words.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { countsAs, isRenewal, type Transaction } from './counts.ts';
import type { TransactionsSearch } from '../searches.ts';
import { isFiltered } from './TransactionFilters.tsx';

interface TransactionTableProps {
  nodes: readonly Transaction[];
  search: TransactionsSearch;
  open: (id: string) => void;
}

export function TransactionTable({ nodes, search, open }: TransactionTableProps) {
  const { applicationId, timeZone } = useApplication();
  return (
    <DataTable
      caption="Store transactions, newest first"
      columns={columnsOf({ timeZone, search, open })}
      rows={nodes}
      rowKey={({ id }) => id}
      empty={
        isFiltered(search) ? (
          <Empty title="No transaction fits the filters" />
        ) : (
          <Empty title="No transactions yet">
            The SDK uploads the ids of purchases, and the service asks the store about them with the{' '}
            <PlaceLink inText to={`/apps/${applicationId}/store`}>
              store credentials
            </PlaceLink>
            .
          </Empty>
        )
      }
    />
  );
}

function columnsOf({ timeZone, search, open }: Omit<TransactionTableProps, 'nodes'> & { timeZone: string }) {
  const { revenue, test = false } = search;
  const counts: Column<Transaction> = {
    key: 'counts',
    head: `In revenue (${revenue})`,
    cell: (one) => countsAs(one, { currency: revenue!, includeTest: test }),
  };
  const columns: Column<Transaction>[] = [
    {
      key: 'id',
      head: 'Transaction',
      rowHead: true,
      cell: ({ id }) => <OpenButton text={id} what="transaction" open={() => open(id)} />,
    },
    {
      key: 'purchased',
      head: 'Bought',
      cell: ({ purchasedAt }) => (purchasedAt == null ? 'not known yet' : time(purchasedAt, timeZone)),
    },
    { key: 'product', head: 'Product', cell: (one) => <ProductName {...one} /> },
    { key: 'price', head: 'Price', numeric: true, cell: (one) => <Price {...one} /> },
    ...(revenue === undefined ? [] : [counts]),
    {
      key: 'kind',
      head: 'Kind',
      cell: (one) => (one.kind ? `${kinds[one.kind]}${isRenewal(one) ? ', renewal' : ''}` : '—'),
    },
    {
      key: 'state',
      head: 'State',
      cell: (one) => (
        <Text size="sm" maw="15rem" truncate title={stateOf(one, timeZone)}>
          {stateOf(one, timeZone)}
        </Text>
      ),
    },
    { key: 'offer', head: 'Offer', cell: ({ offer }) => (offer && offer !== 'NONE' ? offers[offer] : '—') },
    { key: 'country', head: 'Country', cell: ({ storefront }) => storefront ?? '—' },
  ];
  return columns;
}

function stateOf({ state, reason, revokedAt }: Transaction, timeZone: string): string {
  if (revokedAt != null) return `Taken back ${time(revokedAt, timeZone)}`;
  return reason == null ? states[state] : `${states[state]}: ${reasonText(reason)}`;
}
