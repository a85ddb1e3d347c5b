// The monthly revenue of each currency; currencies are never added up.
import { Text } from '@mantine/core';
import type { SubscriptionsQuery } from '../../../../generated/screens/subscriptions/graphql.ts';
import { change, money } from '../../parts/figures.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable } from '../../parts/table/DataTable.tsx';

type Amount = NonNullable<SubscriptionsQuery['subscriptions']>['mrr'][number];

interface MonthlyRevenueProps {
  now: readonly Amount[];
  /** Null where the service gave none. */
  before: readonly Amount[] | null;
  /** Names the time of `before`. */
  head: string;
}

export function MonthlyRevenue({ now, before, head }: MonthlyRevenueProps) {
  const currencies = [...new Set([...now, ...(before ?? [])].map(({ currency }) => currency))].sort();
  const amountOf = (amounts: readonly Amount[] | null, currency: string) =>
    amounts?.find((one) => one.currency === currency)?.amount ?? null;
  const rows = currencies.map((currency) => ({
    currency,
    now: amountOf(now, currency),
    before: amountOf(before, currency),
  }));
  const shown = (amount: string | null, currency: string) => (amount === null ? '—' : money(amount, currency));
  return (
    <>
      <DataTable
        caption="Monthly revenue by currency"
        rows={rows}
        rowKey={({ currency }) => currency}
        empty={<Empty title="No paid subscription at this instant" />}
        columns={[
          { key: 'currency', head: 'Currency', cell: ({ currency }) => currency },
          { key: 'now', head: 'A month', numeric: true, cell: (row) => shown(row.now, row.currency) },
          { key: 'before', head, numeric: true, cell: (row) => shown(row.before, row.currency) },
          {
            key: 'change',
            head: 'Change',
            numeric: true,
            cell: (row) =>
              (row.now !== null && row.before !== null && change(Number(row.now), Number(row.before))) || '—',
          },
        ]}
      />
      <Text size="xs" c="dimmed" mt="sm">
        The price of each active subscription for 30.4 days. Free trials, family members and periods without a price or
        an end are left out.
      </Text>
    </>
  );
}
