// The installations of the app that have reported under the device's id.
import { time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { DataTable } from '../../parts/table/DataTable.tsx';
import type { DevicePart, SeenDevice } from './Device.tsx';
import { None } from './None.tsx';

export function Installs({ timeZone, installs }: DevicePart & { installs: SeenDevice['installs'] }) {
  return (
    <Panel title="Installs">
      <DataTable
        caption="Installs, the one seen first first"
        rows={installs}
        rowKey={({ vendorIdentifier, installedAt }) => `${installedAt} ${vendorIdentifier}`}
        empty={<None>No upload of sessions has named an installation.</None>}
        columns={[
          { key: 'at', head: 'Installed (its clock)', cell: ({ installedAt }) => time(installedAt, timeZone) },
          {
            key: 'vendor',
            head: 'Vendor identifier',
            cell: ({ vendorIdentifier }) => <GivenText text={vendorIdentifier} cut />,
          },
          { key: 'first', head: 'First seen', cell: ({ firstSeenAt }) => time(firstSeenAt, timeZone) },
          { key: 'last', head: 'Last seen', cell: ({ lastSeenAt }) => time(lastSeenAt, timeZone) },
        ]}
      />
    </Panel>
  );
}
