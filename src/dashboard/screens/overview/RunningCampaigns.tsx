// The campaigns that run now, by their priority, with what devices have shown of them.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from 'urql';
import {
  OverviewCampaignsDocument,
  type OverviewCampaignsQuery,
} from '../../../../generated/screens/overview/graphql.ts';
import { count, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';

type Campaign = NonNullable<OverviewCampaignsQuery['campaigns']>[number];

export function RunningCampaigns() {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuery({ query: OverviewCampaignsDocument, variables: { applicationId } });
  const columns: Column<Campaign>[] = [
    {
      key: 'name',
      head: 'Campaign',
      title: ({ name }) => name,
      cell: ({ id, name }) => (
        <Anchor component={Link} to={`/apps/${applicationId}/campaign`} search={{ id } as never} size="sm">
          {name}
        </Anchor>
      ),
    },
    { key: 'shown', head: 'Shown', numeric: true, cell: ({ stats }) => count(stats.shown) },
    { key: 'done', head: 'Completed', numeric: true, cell: ({ stats }) => count(stats.resolved.completed) },
    {
      key: 'end',
      head: `Ends (${timeZone})`,
      cell: ({ schedule }) => (schedule?.endAt ? time(schedule.endAt, timeZone) : 'no end'),
    },
  ];
  return (
    <Panel
      title="Campaigns running"
      actions={
        <Anchor component={Link} to={`/apps/${applicationId}/campaigns`} size="sm">
          All campaigns
        </Anchor>
      }
    >
      <Loaded result={result} pick={(data) => data} retry={reread}>
        {({ campaigns, active, scheduled }) => (
          <>
            <DataTable
              caption="Campaigns that run now, highest priority first"
              columns={columns}
              rows={campaigns}
              rowKey={({ id }) => id}
              empty={<Empty title="No campaign runs">Activate one in the list of campaigns.</Empty>}
            />
            <Text size="xs" c="dimmed" mt={4}>
              {count(active)} running, {count(scheduled)} scheduled. Shown and completed count since each began.
            </Text>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
