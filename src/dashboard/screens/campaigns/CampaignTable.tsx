// The table of campaigns, with a menu of what can be done with each.
import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import type { CampaignListQuery } from '../../../../generated/screens/campaigns/graphql.ts';
import { useMay } from '../../parts/access.tsx';
import { CampaignLink } from '../../parts/campaignState/CampaignLink.tsx';
import { StateBadge } from '../../parts/campaignState/StateBadge.tsx';
import { isOver, moveWord, type CampaignState } from '../../parts/campaignState/states.ts';
import { count, time } from '../../parts/figures.ts';
import { GivenText } from '../../parts/GivenText.tsx';
import { LinkItem } from '../../parts/LinkButton.tsx';
import { DataTable, type Column } from '../../parts/table/DataTable.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Campaigns.module.css';
import type { CampaignsSearch } from '../searches.ts';

export type ListedCampaign = NonNullable<CampaignListQuery['campaigns']>[number];
type Sort = NonNullable<CampaignsSearch['sort']>;

interface CampaignTableProps {
  campaigns: readonly ListedCampaign[];
  sort: Sort;
  changeSort: (sort: Sort) => void;
  move: (campaign: ListedCampaign, to: CampaignState) => void;
  empty: ReactNode;
}

/** The API has each order in one direction. */
const descending: Record<Sort, boolean> = {
  CREATED: true,
  UPDATED: true,
  NAME: false,
  PRIORITY: true,
  STATE: false,
};

export function CampaignTable({ campaigns, sort, changeSort, move, empty }: CampaignTableProps) {
  const { timeZone } = useApplication();
  const mayEdit = useMay('editor');
  const actions: Column<ListedCampaign> = {
    key: 'actions',
    head: 'Actions',
    cell: (row) => <RowMenu campaign={row} move={move} />,
  };
  // Near the name: at 1280 pixels the last columns are out of sight.
  const columns = [...nameColumns, ...(mayEdit ? [actions] : []), ...columnsOf(timeZone)];
  return (
    <DataTable
      caption="Campaigns"
      columns={columns}
      rows={campaigns}
      rowKey={({ id }) => id}
      sorting={{ by: sort, descending: descending[sort], change: (by) => changeSort(by as Sort) }}
      empty={empty}
    />
  );
}

const nameColumns: Column<ListedCampaign>[] = [
  {
    key: 'name',
    head: 'Name',
    sort: 'NAME',
    rowHead: true,
    className: classes.name,
    cell: ({ id, name }) => <CampaignLink id={id} name={name} />,
  },
  { key: 'state', head: 'State', sort: 'STATE', cell: ({ state }) => <StateBadge state={state} /> },
];

function columnsOf(timeZone: string): Column<ListedCampaign>[] {
  return [
    { key: 'shown', head: 'Shown', numeric: true, cell: ({ stats }) => count(stats.shown) },
    { key: 'completed', head: 'Completed', numeric: true, cell: ({ stats }) => count(stats.resolved.completed) },
    { key: 'dismissed', head: 'Dismissed', numeric: true, cell: ({ stats }) => count(stats.resolved.dismissed) },
    { key: 'unavailable', head: 'Unavailable', numeric: true, cell: ({ stats }) => count(stats.resolved.unavailable) },
    { key: 'priority', head: 'Priority', numeric: true, sort: 'PRIORITY', cell: ({ priority }) => count(priority) },
    {
      key: 'trigger',
      head: 'Trigger',
      className: classes.trigger,
      cell: ({ trigger }) => (trigger ? <GivenText text={trigger.event} cut /> : '—'),
    },
    { key: 'runs', head: 'Runs', cell: ({ schedule }) => runs(schedule, timeZone) },
    {
      key: 'changed',
      head: 'Changed',
      sort: 'UPDATED',
      title: ({ updatedBy }) => updatedBy ?? undefined,
      cell: ({ updatedAt }) => time(updatedAt, timeZone),
    },
    {
      key: 'created',
      head: 'Created',
      sort: 'CREATED',
      title: ({ createdBy }) => createdBy ?? undefined,
      cell: ({ createdAt }) => time(createdAt, timeZone),
    },
  ];
}

function runs(schedule: ListedCampaign['schedule'], timeZone: string): string {
  const start = schedule?.startAt;
  const end = schedule?.endAt;
  if (start && end) return `${time(start, timeZone)} to ${time(end, timeZone)}`;
  if (start) return `from ${time(start, timeZone)}`;
  return end ? `until ${time(end, timeZone)}` : '—';
}

function RowMenu({ campaign, move }: { campaign: ListedCampaign; move: CampaignTableProps['move'] }) {
  const { applicationId } = useApplication();
  const { id, name, state, allowedTransitions } = campaign;
  const editor = { to: '/apps/$applicationId/campaign-editor', params: { applicationId } } as const;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-xs" variant="default" aria-label={`Actions: ${name}`}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {!isOver(state) && (
          <LinkItem {...editor} search={{ id }}>
            Edit
          </LinkItem>
        )}
        <LinkItem {...editor} search={{ copy: id }}>
          Copy
        </LinkItem>
        {allowedTransitions.length > 0 && <Menu.Divider />}
        {allowedTransitions.map((to) => (
          <Menu.Item key={to} onClick={() => move(campaign, to)}>
            {moveWord(state, to)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
