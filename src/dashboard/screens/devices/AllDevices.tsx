// All devices that fit the search, the filters and the date, in the chosen order, page by page.
import { Group, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { DevicesDocument } from '../../../../generated/screens/devices/graphql.ts';
import { FilterEditor } from '../../parts/filters/FilterEditor.tsx';
import { dayStart } from '../../parts/range/dayStart.ts';
import { TypedText } from '../../parts/TypedText.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { CursorPages } from '../../parts/table/CursorPages.tsx';
import { usePages } from '../../parts/table/pages.ts';
import { DeviceTable } from './DeviceTable.tsx';
import type { DevicesPart } from './Devices.tsx';
import { deviceSorts } from '../searches.ts';

export function AllDevices(part: DevicesPart) {
  const { applicationId, timeZone, search, change } = part;
  const { filters = [], since, sort = 'LAST_SEEN', test, after } = search;
  const variables = useMemo(
    () => ({
      applicationId,
      search: search.search ?? null,
      filters: filters.length > 0 ? filters : null,
      activeSince: since === undefined ? null : dayStart(since, timeZone),
      sort,
      includeTest: test ?? false,
      after: after ?? null,
    }),
    [applicationId, search.search, filters, since, timeZone, sort, test, after],
  );
  const [result, read] = useQuery({ query: DevicesDocument, variables });
  const pages = usePages(after, (next) => change({ after: next }));
  const narrowed = search.search !== undefined || filters.length > 0 || since !== undefined;
  return (
    <>
      <Conditions {...part} />
      <Loaded result={result} pick={(data) => data.devices} retry={() => read({ requestPolicy: 'network-only' })}>
        {({ nodes, total, endCursor, hasMore, asOf }) => (
          <div>
            <DeviceTable
              applicationId={applicationId}
              timeZone={timeZone}
              caption="Devices"
              rows={nodes}
              asOf={asOf}
              sorting={{
                by: sort,
                descending: true,
                change: (by) => change({ sort: deviceSorts.find((name) => name === by) }),
              }}
              empty={
                narrowed ? (
                  <Empty title="No device fits">Search for less, or take a filter away.</Empty>
                ) : (
                  <Empty title="No devices yet">A device appears here after its first upload of sessions.</Empty>
                )
              }
            />
            <CursorPages
              one="device"
              many="devices"
              shown={nodes.length}
              reading={result.fetching}
              {...{ pages, total, endCursor, hasMore }}
            />
          </div>
        )}
      </Loaded>
    </>
  );
}

function Conditions({ applicationId, timeZone, search, change }: DevicesPart) {
  return (
    <Group gap="xs" align="end">
      <TypedText
        label="Device or user"
        placeholder="A part of the id, in upper or lower case"
        maxLength={256}
        w={320}
        value={search.search ?? ''}
        change={(text) => change({ search: text === '' ? undefined : text }, true)}
      />
      <TextInput
        size="xs"
        type="date"
        label={`Seen since (${timeZone})`}
        value={search.since ?? ''}
        onChange={({ target }) => change({ since: target.value === '' ? undefined : target.value })}
      />
      <FilterEditor
        applicationId={applicationId}
        scopes={['DEVICE', 'USER']}
        filters={search.filters ?? []}
        change={(next) => change({ filters: next.length > 0 ? next : undefined })}
      />
    </Group>
  );
}
