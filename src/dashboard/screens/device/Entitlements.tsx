// The lines that the device holds, with what ends them.
import { Badge } from '@mantine/core';
import type { DevicePurchasesQuery } from '../../../../generated/screens/device/graphql.ts';
import { time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import type { DevicePart } from './Device.tsx';
import { None } from './None.tsx';
import { words } from './words.ts';

type Entitlement = NonNullable<DevicePurchasesQuery['device']>['entitlements'][number];

export function Entitlements({ timeZone, entitlements }: DevicePart & { entitlements: Entitlement[] }) {
  return (
    <DataTable
      caption="Entitlements, the one bought last first"
      rows={entitlements}
      rowKey={({ id }) => id}
      empty={<None>The device holds no purchase.</None>}
      columns={columnsOf(timeZone)}
    />
  );
}

function columnsOf(timeZone: string): Column<Entitlement>[] {
  return [
    { key: 'product', head: 'Product', cell: ({ productId }) => <GivenText text={productId} cut /> },
    {
      key: 'active',
      head: 'Active',
      cell: ({ active, environment }) => (
        <>
          {active ? 'Yes' : 'No'}{' '}
          {environment === 'SANDBOX' && (
            <Badge size="xs" variant="default">
              sandbox
            </Badge>
          )}
        </>
      ),
    },
    { key: 'kind', head: 'Kind', cell: ({ kind }) => words(kind) },
    { key: 'bought', head: 'Bought', cell: ({ purchasedAt }) => time(purchasedAt, timeZone) },
    { key: 'ends', head: 'Ends', cell: (entitlement) => endOf(entitlement, timeZone) },
    {
      key: 'renews',
      head: 'Renews',
      cell: ({ autoRenew }) => (autoRenew === null ? '—' : autoRenew ? 'Yes' : 'No'),
    },
    {
      key: 'owner',
      head: 'Owner (external id)',
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
