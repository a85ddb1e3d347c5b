// How much of its quotas the application has used in this hour, and what they refused; only where quotas are on.
import { Text } from '@mantine/core';
import { useQuery } from 'urql';
import { OverviewQuotasDocument, type OverviewQuotasQuery } from '../../../../generated/screens/overview/graphql.ts';
import { count, size, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';

type Quota = OverviewQuotasQuery['applications'][number]['ingestQuotas'][number];

const requests: Record<string, string> = {
  reportSessions: 'Sessions',
  reportAttribution: 'Attribution',
  reportStoreTransactions: 'Purchases',
};

const columns: Column<Quota>[] = [
  {
    key: 'operation',
    head: 'Requests',
    title: ({ operation, signed }) => (signed ? `${operation}, signed` : operation),
    cell: ({ operation, signed }) => (signed ? 'Signed sessions' : (requests[operation] ?? operation)),
  },
  {
    key: 'bytes',
    head: 'Stored',
    numeric: true,
    title: ({ bytes }) => `${count(bytes)} bytes`,
    cell: ({ bytes, bytesPerHour }) => used(size(bytes), bytesPerHour && size(bytesPerHour)),
  },
  {
    key: 'devices',
    head: 'New devices',
    numeric: true,
    cell: ({ signed, newDevices, newDevicesPerHour }) =>
      signed ? '' : used(count(newDevices), newDevicesPerHour && count(newDevicesPerHour)),
  },
  { key: 'refused', head: 'Refused', numeric: true, cell: ({ refused }) => count(refused) },
  { key: 'day', head: 'In 24 hours', numeric: true, cell: ({ refusedInDay }) => count(refusedInDay) },
];

const used = (amount: string, most: string | number | null): string => (most ? `${amount} of ${most}` : amount);

const isOn = ({ bytesPerHour, newDevicesPerHour }: Quota): boolean =>
  bytesPerHour !== null || newDevicesPerHour !== null;

export function IngestQuotas() {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuery({ query: OverviewQuotasDocument });
  const pick = ({ applications }: OverviewQuotasQuery): Quota[] | undefined =>
    applications.find(({ id }) => id === applicationId)?.ingestQuotas;
  const quotas = result.data && pick(result.data);
  // Only the response says whether quotas are on: a panel that loads would go away where they are off.
  if (!result.error && !quotas?.some(isOn)) return null;
  return (
    <Panel title="Quotas">
      <Loaded result={result} pick={pick} retry={reread}>
        {(rows) => (
          <>
            <DataTable
              caption="Use of the quotas in this hour, by the kind of request"
              columns={columns}
              rows={rows}
              rowKey={({ operation, signed }) => `${operation} ${signed}`}
              empty={null}
            />
            <Text size="xs" c="dimmed" mt={4}>
              Since {time(rows[0]!.since, timeZone, 'hour')}, times are in {timeZone}. Signed sessions count with all
              that they bring, the others without a signature of devices that no signed upload has reported. Beyond a
              quota they get 503, and devices keep what was refused.
            </Text>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
