// The health of what arrives: uploads that the service refused in the range, by their reason.
import { Text } from '@mantine/core';
import { OverviewIssuesDocument } from '../../../../generated/screens/overview/graphql.ts';
import { count, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Overview.module.css';
import { byReason, type Refused } from './refused.ts';

const shown = 5;

export function RefusedUploads({ from, to }: { from: string; to: string }) {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuestion({ query: OverviewIssuesDocument, variables: { applicationId, from, to } });
  const columns: Column<Refused>[] = [
    {
      key: 'reason',
      head: 'Reason',
      title: ({ reason }) => reason,
      // 0 is the line of all lines that a day keeps no more.
      cell: ({ status, reason }) => (status === 0 ? 'other reasons' : `${status} ${reason}`),
    },
    {
      key: 'path',
      head: 'At',
      className: classes.name,
      title: ({ path }) => path,
      cell: ({ path }) => path || 'the whole request',
    },
    { key: 'count', head: 'Times', numeric: true, cell: (row) => count(row.count) },
    { key: 'last', head: 'Last', cell: ({ lastAt }) => time(lastAt, timeZone, 'hour') },
  ];
  return (
    <Panel
      title="Refused uploads"
      actions={
        <TextLink to="/apps/$applicationId/live" params={{ applicationId }}>
          Live
        </TextLink>
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
                empty={
                  <Empty title="No refused uploads">None with a valid key in this range, of the last 90 days.</Empty>
                }
              />
              {rows.length > 0 && (
                <Text size="xs" c="dimmed" mt={4}>
                  {rows.length > shown && `${count(rows.length - shown)} more reasons. `}
                  {hasMore && 'The newest 200 lines are counted. '}
                  An upload counts once for each place. The service keeps 90 days. Times are in {timeZone}.
                </Text>
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
