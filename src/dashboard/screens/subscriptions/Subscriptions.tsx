// The subscriptions at an instant, against thirty days before, and what they bring in a month.
import { Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { SubscriptionsDocument, type SubscriptionsQuery } from '../../../../generated/screens/subscriptions/graphql.ts';
import { DataTable } from '../../parts/DataTable.tsx';
import { change, count, money, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/layout.tsx';
import { useQuestion } from '../../parts/queries.ts';
import { instantOf, localOf } from '../../parts/range.ts';
import { Empty } from '../../parts/states.tsx';
import { beforeNote, Tiles } from '../../parts/Tiles.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { ReportScreen } from '../ReportScreen.tsx';

const daysBefore = 30;
/** The length of `2026-03-01T09:30`. */
const minutes = 16;

export function Subscriptions() {
  const address = useAddress('/apps/$applicationId/subscriptions');
  const { applicationId, timeZone, change } = address;
  const { at, test = false } = address.search;
  // Another instant with each rendering would be another question.
  const [now] = useState(() => new Date().toISOString());
  const before = new Date(Date.parse(at ?? now) - daysBefore * 86_400_000).toISOString();
  const variables = { applicationId, at, before, includeTest: test };
  const [result, reread] = useQuestion({ query: SubscriptionsDocument, variables });
  return (
    <ReportScreen
      title="Subscriptions"
      about="Subscriptions that renew by themselves, as they stand at an instant."
      address={address}
      adds="Sandbox"
      question={<InstantChoice {...{ at, now, timeZone }} change={(next) => change({ at: next })} />}
      {...{ result, reread }}
      pick={(data) => data.subscriptions}
    >
      {(figures) => (
        <>
          <SubscriptionTiles figures={figures} before={result.data?.before ?? null} />
          <Text size="xs" c="dimmed">
            Compared with {time(before, timeZone)}, {daysBefore} days before. As of{' '}
            {time(figures.asOf, timeZone, 'second')}.
          </Text>
          <Panel title="Monthly revenue">
            <MonthlyRevenue now={figures.mrr} before={result.data?.before?.mrr ?? null} />
          </Panel>
        </>
      )}
    </ReportScreen>
  );
}

interface InstantChoiceProps {
  at: string | undefined;
  now: string;
  timeZone: string;
  change: (at: string | undefined) => void;
}

function InstantChoice({ at, now, timeZone, change }: InstantChoiceProps) {
  return (
    <Group gap={8} align="end">
      <TextInput
        size="xs"
        type="datetime-local"
        label={`At (${timeZone})`}
        value={localOf(at ?? now, timeZone).slice(0, minutes)}
        max={localOf(now, timeZone).slice(0, minutes)}
        // A year that is still being typed has leading zeros.
        onChange={({ target }) => target.value >= '1970' && change(instantOf(target.value, timeZone)?.instant)}
      />
      {at !== undefined && (
        <Button size="xs" variant="default" onClick={() => change(undefined)}>
          Now
        </Button>
      )}
    </Group>
  );
}

type Figures = NonNullable<SubscriptionsQuery['before']>;

const names = [
  ['active', 'Active', 'They run. Those in a grace period are in it.'],
  ['trials', 'In a free trial', 'Active ones whose present period is a free trial.'],
  ['inGrace', 'In grace', 'Active ones whose paid period is over while the store tries to charge the next one.'],
  ['inRetry', 'In billing retry', 'They have ended, and the store still tries to charge the renewal.'],
] as const;

function SubscriptionTiles({ figures, before }: { figures: Figures; before: Figures | null }) {
  return (
    <Tiles
      figures={names.map(([key, name, title]) => ({
        name,
        title,
        value: count(figures[key]),
        note: before && beforeNote(figures[key], before[key], count),
      }))}
    />
  );
}

type Amount = NonNullable<SubscriptionsQuery['subscriptions']>['mrr'][number];

interface MonthlyRevenueProps {
  now: readonly Amount[];
  /** Null where the service gave none. */
  before: readonly Amount[] | null;
}

/** The monthly revenue of each currency; currencies are never added up. */
function MonthlyRevenue({ now, before }: MonthlyRevenueProps) {
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
          { key: 'now', head: 'Per month', numeric: true, cell: (row) => shown(row.now, row.currency) },
          { key: 'before', head: 'Before', numeric: true, cell: (row) => shown(row.before, row.currency) },
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
