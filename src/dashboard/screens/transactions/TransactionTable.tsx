// The list of transactions: what was bought, for how much, and how far the look-up is.
import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { time } from '../../parts/figures.ts';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { Price } from '../../parts/purchases/Price.tsx';
import { kinds, offers, reasonText, states } from '../../parts/purchases/words.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { countsAs, isRenewal, type Transaction } from './counts.ts';
import type { TransactionsSearch } from './search.ts';
import { isFiltered } from './TransactionFilters.tsx';

interface TransactionTableProps {
  nodes: readonly Transaction[];
  search: TransactionsSearch;
  open: (id: string) => void;
}

export function TransactionTable({ nodes, search, open }: TransactionTableProps) {
  const { applicationId, timeZone } = useApplication();
  const { revenue, test = false } = search;
  return (
    <DataTable
      caption="Store transactions, newest first"
      columns={[
        ...columnsOf(timeZone, open),
        ...(revenue === undefined
          ? []
          : [
              {
                key: 'counts',
                head: `In revenue (${revenue})`,
                cell: (transaction: Transaction) => countsAs(transaction, { currency: revenue, includeTest: test }),
              },
            ]),
      ]}
      rows={nodes}
      rowKey={({ id }) => id}
      empty={
        isFiltered(search) ? (
          <Empty title="No transaction fits the filters" />
        ) : (
          <Empty title="No transactions yet">
            The SDK uploads the ids of purchases, and the service asks the store about them with the{' '}
            <PlaceLink to={`/apps/${applicationId}/store`}>store credentials</PlaceLink>.
          </Empty>
        )
      }
    />
  );
}

function columnsOf(timeZone: string, open: (id: string) => void): Column<Transaction>[] {
  return [
    {
      key: 'purchased',
      head: 'Bought',
      cell: ({ purchasedAt }) => (purchasedAt == null ? 'not known yet' : time(purchasedAt, timeZone)),
    },
    {
      key: 'product',
      head: 'Product',
      title: ({ productId }) => productId ?? undefined,
      cell: (one) => <Product {...one} />,
    },
    {
      key: 'kind',
      head: 'Kind',
      cell: (one) => (one.kind ? `${kinds[one.kind]}${isRenewal(one) ? ', renewal' : ''}` : '—'),
    },
    { key: 'price', head: 'Price', numeric: true, cell: (one) => <Price {...one} /> },
    { key: 'offer', head: 'Offer', cell: ({ offer }) => (offer && offer !== 'NONE' ? offers[offer] : '—') },
    { key: 'country', head: 'Store', cell: ({ storefront }) => storefront ?? '—' },
    {
      key: 'state',
      head: 'State',
      title: ({ reason }) => (reason ? reasonText(reason) : undefined),
      cell: (one) => <State {...one} timeZone={timeZone} />,
    },
    {
      key: 'id',
      head: 'Transaction',
      title: ({ id }) => id,
      cell: ({ id }) => (
        <UnstyledButton c="var(--mantine-color-anchor)" fz="inherit" onClick={() => open(id)}>
          <bdi>{id}</bdi>
        </UnstyledButton>
      ),
    },
  ];
}

function Product({ productId, environment, ownership }: Transaction) {
  if (productId == null) return '—';
  return (
    <Group gap={6} wrap="nowrap">
      <Text size="sm" truncate>
        <bdi>{productId}</bdi>
      </Text>
      {environment === 'SANDBOX' && (
        <Badge size="xs" variant="default">
          Sandbox
        </Badge>
      )}
      {ownership === 'FAMILY_SHARED' && (
        <Badge size="xs" variant="default">
          Family
        </Badge>
      )}
    </Group>
  );
}

function State({ state, reason, revokedAt, timeZone }: Transaction & { timeZone: string }) {
  if (revokedAt != null) return `Taken back ${time(revokedAt, timeZone)}`;
  return reason == null ? states[state] : `${states[state]}: ${reasonText(reason)}`;
}
