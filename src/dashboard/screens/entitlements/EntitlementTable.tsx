// The list of what customers own.
import { DeviceLink } from '../../parts/DeviceLink.tsx';
import { time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { OpenButton } from '../../parts/OpenButton.tsx';
import { Price } from '../../parts/purchases/Price.tsx';
import { ProductName } from '../../parts/purchases/ProductName.tsx';
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
    { key: 'id', head: 'Line', cell: ({ id }) => <OpenButton text={id} what="line" open={() => open(id)} /> },
    { key: 'product', head: 'Product', cell: (line) => <ProductName {...line} /> },
    { key: 'state', head: 'State', cell: stateOf },
    {
      key: 'expires',
      head: 'Until',
      cell: ({ expiresAt }) => (expiresAt == null ? 'without end' : time(expiresAt, timeZone)),
    },
    {
      key: 'user',
      head: 'User',
      cell: ({ owner }) => (owner ? <GivenText text={owner.externalId} cut /> : 'no owner'),
    },
    {
      key: 'device',
      head: 'First device',
      cell: ({ owner }) =>
        owner?.deviceId == null ? '—' : <DeviceLink applicationId={applicationId} id={owner.deviceId} />,
    },
    { key: 'price', head: 'Price', numeric: true, cell: (line) => <Price {...line} /> },
    { key: 'renews', head: 'Renews', cell: renewalOf },
    { key: 'kind', head: 'Kind', cell: ({ kind }) => kinds[kind] },
  ];
}
