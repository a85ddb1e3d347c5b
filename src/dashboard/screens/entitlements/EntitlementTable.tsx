// The list of what customers own.
import { Badge, Group, Text, UnstyledButton } from '@mantine/core';
import { time } from '../../parts/figures.ts';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { deviceOf } from '../../parts/purchases/links.ts';
import { Price } from '../../parts/purchases/Price.tsx';
import { kinds } from '../../parts/purchases/words.ts';
import { Empty } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { renewalOf, stateOf, type Line } from './lines.ts';

interface EntitlementTableProps {
  nodes: readonly Line[];
  filtered: boolean;
  open: (id: string) => void;
}

export function EntitlementTable({ nodes, filtered, open }: EntitlementTableProps) {
  const { applicationId, timeZone } = useApplication();
  return (
    <DataTable
      caption="Entitlements, newest first"
      columns={columnsOf({ applicationId, timeZone, open })}
      rows={nodes}
      rowKey={({ id }) => id}
      empty={
        filtered ? (
          <Empty title="No entitlement fits the filters" />
        ) : (
          <Empty title="Nobody owns anything yet">
            An entitlement appears here once the store has verified a purchase.
          </Empty>
        )
      }
    />
  );
}

interface Shown {
  applicationId: string;
  timeZone: string;
  open: (id: string) => void;
}

function columnsOf({ applicationId, timeZone, open }: Shown): Column<Line>[] {
  return [
    { key: 'purchased', head: 'Bought', cell: ({ purchasedAt }) => time(purchasedAt, timeZone) },
    { key: 'product', head: 'Product', title: ({ productId }) => productId, cell: (line) => <Product {...line} /> },
    { key: 'kind', head: 'Kind', cell: ({ kind }) => kinds[kind] },
    { key: 'state', head: 'State', cell: stateOf },
    {
      key: 'expires',
      head: 'Until',
      cell: ({ expiresAt }) => (expiresAt == null ? 'without end' : time(expiresAt, timeZone)),
    },
    { key: 'renews', head: 'Renews', cell: renewalOf },
    { key: 'price', head: 'Price', numeric: true, cell: (line) => <Price {...line} /> },
    {
      key: 'user',
      head: 'User',
      title: ({ owner }) => owner?.externalId,
      cell: ({ owner }) => (owner ? <bdi>{owner.externalId}</bdi> : 'no owner'),
    },
    {
      key: 'device',
      head: 'Device',
      title: ({ owner }) => owner?.deviceId ?? undefined,
      cell: ({ owner }) =>
        owner?.deviceId == null ? (
          '—'
        ) : (
          <PlaceLink {...deviceOf(applicationId, owner.deviceId)}>
            <bdi>{owner.deviceId}</bdi>
          </PlaceLink>
        ),
    },
    {
      key: 'id',
      head: 'Line',
      title: ({ id }) => id,
      cell: ({ id }) => (
        <UnstyledButton c="var(--mantine-color-anchor)" fz="inherit" onClick={() => open(id)}>
          <bdi>{id}</bdi>
        </UnstyledButton>
      ),
    },
  ];
}

function Product({ productId, environment }: Line) {
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
    </Group>
  );
}
