// The campaigns that run now, by their priority, with what devices have shown of them.
import { Text } from '@mantine/core';
import {
  OverviewCampaignsDocument,
  type OverviewCampaignsQuery,
} from '../../../../generated/screens/overview/graphql.ts';
import { CampaignLink } from '../../parts/campaignState/CampaignLink.tsx';
import { count, time } from '../../parts/figures.ts';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { TextLink } from '../../parts/TextLink.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Overview.module.css';

type Campaign = NonNullable<OverviewCampaignsQuery['campaigns']>[number];

export function RunningCampaigns() {
  const { applicationId, timeZone } = useApplication();
  const [result, reread] = useQuestion({ query: OverviewCampaignsDocument, variables: { applicationId } });
  const columns: Column<Campaign>[] = [
    {
      key: 'name',
      head: 'Campaign',
      className: classes.name,
      title: ({ name }) => name,
      cell: ({ id, name }) => <CampaignLink id={id} name={name} />,
    },
    { key: 'shown', head: 'Shown', numeric: true, cell: ({ stats }) => count(stats.shown) },
    { key: 'done', head: 'Completed', numeric: true, cell: ({ stats }) => count(stats.resolved.completed) },
    {
      key: 'end',
      head: 'Ends',
      cell: ({ schedule }) => (schedule?.endAt ? time(schedule.endAt, timeZone, 'hour') : 'no end'),
    },
  ];
  return (
    <Panel
      title="Campaigns running"
      actions={
        <TextLink to="/apps/$applicationId/campaigns" params={{ applicationId }}>
          All campaigns
        </TextLink>
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
              empty={<Empty title="No campaign runs">A campaign runs once somebody activates it.</Empty>}
            />
            <Text size="xs" c="dimmed" mt={4}>
              {count(active)} running, {count(scheduled)} scheduled.{' '}
              {campaigns.length > 0 && `Shown and completed count since each began, times are in ${timeZone}.`}
            </Text>
          </>
        )}
      </Loaded>
    </Panel>
  );
}
