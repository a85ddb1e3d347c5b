// What the device has bought: the lines that it holds, and its transactions at the store.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useQuery } from 'urql';
import { DevicePurchasesDocument, type DevicePurchasesQuery } from '../../../../generated/screens/devices/graphql.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { count, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Panel } from '../../parts/layout.tsx';
import { kinds, Price, ProductName, reasonText, states } from '../../parts/purchases.tsx';
import { Loaded } from '../../parts/states.tsx';
import { type DevicePart, None } from './Timeline.tsx';

const [few, most] = [20, 500];

export function Purchases(part: DevicePart) {
  const { applicationId, id } = part;
  const [limit, setLimit] = useState(few);
  const variables = { applicationId, id, limit };
  const [result, read] = useQuery({ query: DevicePurchasesDocument, variables });
  const retry = (): void => read({ requestPolicy: 'network-only' });
  const foot = (shown: number) => <Foot shown={shown} limit={limit} more={() => setLimit(most)} />;
  return (
    <>
      <Panel title="Entitlements">
        <Loaded result={result} pick={({ device }) => device?.entitlements} retry={retry} lines={2}>
          {(entitlements) => (
            <>
              <Entitlements {...part} entitlements={entitlements} />
              {foot(entitlements.length)}
            </>
          )}
        </Loaded>
      </Panel>
      <Panel title="Transactions">
        <Loaded result={result} pick={({ device }) => device?.transactions} retry={retry} lines={2}>
          {(transactions) => (
            <>
              <Transactions {...part} transactions={transactions} />
              {foot(transactions.length)}
            </>
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function Foot({ shown, limit, more }: { shown: number; limit: number; more: () => void }) {
  if (shown < limit) return null;
  return (
    <Group justify="space-between" mt="xs">
      <Text size="sm" c="dimmed" className="figure">
        The newest {count(shown)} are shown.
      </Text>
      {limit < most && (
        <Button size="compact-sm" variant="default" onClick={more}>
          Show up to {most}
        </Button>
      )}
    </Group>
  );
}

type Entitlement = NonNullable<DevicePurchasesQuery['device']>['entitlements'][number];

/** The lines that the device holds, with what ends them. */
function Entitlements({ timeZone, entitlements }: DevicePart & { entitlements: Entitlement[] }) {
  return (
    <DataTable
      caption="Entitlements, the one bought last first"
      rows={entitlements}
      rowKey={({ id }) => id}
      empty={<None>The device holds no purchase.</None>}
      columns={entitlementColumns(timeZone)}
    />
  );
}

function entitlementColumns(timeZone: string): Column<Entitlement>[] {
  return [
    { key: 'product', head: 'Product', cell: (entitlement) => <ProductName {...entitlement} /> },
    { key: 'active', head: 'Active', cell: ({ active }) => (active ? 'yes' : 'no') },
    { key: 'kind', head: 'Kind', cell: ({ kind }) => kinds[kind] },
    { key: 'bought', head: 'Bought', cell: ({ purchasedAt }) => time(purchasedAt, timeZone) },
    { key: 'ends', head: 'Ends', cell: (entitlement) => endOf(entitlement, timeZone) },
    {
      key: 'renews',
      head: 'Renews',
      cell: ({ autoRenew }) => (autoRenew === null ? '—' : autoRenew ? 'yes' : 'no'),
    },
    {
      key: 'owner',
      head: 'Owner',
      cell: ({ owner }) => (owner === null ? '—' : <GivenText text={owner.externalId} cut />),
    },
    { key: 'id', head: 'Line', cell: ({ id }) => <GivenText text={id} cut /> },
  ];
}

function endOf({ revokedAt, graceExpiresAt, expiresAt, inBillingRetry }: Entitlement, timeZone: string): string {
  if (revokedAt !== null) return `taken back ${time(revokedAt, timeZone)}`;
  if (graceExpiresAt !== null) return `${time(graceExpiresAt, timeZone)}, with billing grace`;
  if (expiresAt === null) return 'does not end by itself';
  return `${time(expiresAt, timeZone)}${inBillingRetry ? ', in billing retry' : ''}`;
}

type Transaction = NonNullable<DevicePurchasesQuery['device']>['transactions'][number];

/** The device's transactions at the store, with the state of their look-up. */
function Transactions({ timeZone, transactions }: DevicePart & { transactions: Transaction[] }) {
  return (
    <DataTable
      caption="Transactions, the one that arrived last first"
      rows={transactions}
      rowKey={({ id }) => id}
      empty={<None>The device has uploaded no transaction, and holds no line that has one.</None>}
      columns={transactionColumns(timeZone)}
    />
  );
}

function transactionColumns(timeZone: string): Column<Transaction>[] {
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
