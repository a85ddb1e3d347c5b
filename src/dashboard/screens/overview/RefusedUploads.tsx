// The health of what arrives: uploads that the service refused in the range, by their reason.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { OverviewIssuesDocument } from '../../../../generated/screens/overview/graphql.ts';
import { count, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { byReason, type Refused } from './refused.ts';

const shown = 5;

export function RefusedUploads({ from, to }: { from: string; to: string }) {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuery({ query: OverviewIssuesDocument, variables: { applicationId, from, to } });
  const columns: Column<Refused>[] = [
    { key: 'reason', head: 'Reason', title: ({ reason }) => reason, cell: ({ status, reason }) => `${status} ${reason}` },
    { key: 'path', head: 'At', title: ({ path }) => path, cell: ({ path }) => path || 'the whole request' },
    { key: 'count', head: 'Refused', numeric: true, cell: (row) => count(row.count) },
    { key: 'last', head: `Last (${timeZone})`, cell: ({ lastAt }) => time(lastAt, timeZone) },
  ];
  return (
    <Panel
      title="Refused uploads"
      actions={
        <Anchor component={Link} to={`/apps/${applicationId}/live`} size="sm">
          Live
        </Anchor>
      }
    >
      <Loaded result={result} pick={(data) => data.ingestIssues} retry={reread}>
        {({ nodes, hasMore }) => {
          const rows = byReason(nodes);
          return (
            <>
              <DataTable
                caption="Refused uploads of the range, by reason and place"
                columns={columns}
                rows={rows.slice(0, shown)}
                rowKey={({ key }) => key}
                empty={<Empty title="No refused uploads in this range">The SDKs send what the API takes.</Empty>}
              />
              {rows.length > 0 && (
                <Text size="xs" c="dimmed" mt={4}>
                  {rows.length > shown && `${count(rows.length - shown)} more reasons. `}
                  {hasMore && 'The newest 200 lines are counted. '}
                  An upload counts once for each place. The service keeps 90 days.
                </Text>
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
