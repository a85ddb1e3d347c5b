// The campaigns of an application: found by name and state, in a chosen order, with what devices have reported of each.
import { Anchor, Button, Chip, Group, Menu, NativeSelect, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import {
  CampaignCountsDocument,
  CampaignListDocument,
  type CampaignListQuery,
} from '../../../../generated/screens/campaigns/graphql.ts';
import type { Column } from '../../parts/DataTable.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { CampaignLink, MoveCampaign, StateBadge } from '../../parts/MoveCampaign.tsx';
import { campaignStates, isOver, moveWord, stateWords, type CampaignState } from '../../parts/campaignStates.ts';
import { count, time } from '../../parts/figures.ts';
import { TypedText } from '../../parts/inputs.tsx';
import { LinkButton, LinkItem } from '../../parts/links.tsx';
import { NumberedPages } from '../../parts/pages.tsx';
import { Allowed, useMay } from '../../parts/roles.tsx';
import { Empty } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { useApplication } from '../../session/me.ts';
import { ListScreen } from '../ListScreen.tsx';
import type { CampaignsSearch } from '../searches.ts';

const size = 50;
const withoutArchived = campaignStates.filter((state) => state !== 'ARCHIVED');

export function Campaigns() {
  const { applicationId, timeZone, search, change: changeAll } = useAddress('/apps/$applicationId/campaigns');
  const { q = '', states = withoutArchived, sort = 'CREATED', page = 1 } = search;
  const [result, read] = useQuery({
    query: CampaignListDocument,
    variables: { applicationId, states, search: q || null, sort, limit: size, offset: (page - 1) * size },
  });
  const [moving, setMoving] = useState<Move | null>(null);
  const reload = () => read({ requestPolicy: 'network-only' });
  // Another filter or order begins at its first page.
  const change = (next: CampaignsSearch) => changeAll({ page: undefined, ...next }, 'q' in next);
  const changeSort = (by: string) => change({ sort: by === 'CREATED' ? undefined : (by as Sort) });
  const total = result.data?.campaignsCount ?? 0;
  return (
    <ListScreen
      title="Campaigns"
      about={`What the app shows or does when an event happens. Times in ${timeZone}.`}
      actions={
        <Allowed least="editor" what="create and change campaigns">
          <LinkButton size="sm" to="/apps/$applicationId/campaigns/new" params={{ applicationId }}>
            New campaign
          </LinkButton>
        </Allowed>
      }
      filters={<CampaignFilters q={q} states={search.states ?? []} sort={sort} change={change} />}
      {...{ result, lines: 12 }}
      read={reload}
      pick={({ campaigns }) => campaigns ?? []}
      caption="Campaigns"
      columns={useColumns(setMoving)}
      rowKey={({ id }) => id}
      sorting={{ by: sort, descending: descending[sort], change: changeSort }}
      empty={<None search={search} total={total} first={() => change({})} />}
      foot={() =>
        total > 0 && (
          <NumberedPages
            what={total === 1 ? 'campaign' : 'campaigns'}
            {...{ total, page, size }}
            change={(next) => change({ page: next === 1 ? undefined : next })}
          />
        )
      }
    >
      {moving && <MoveCampaign {...moving} close={() => setMoving(null)} reload={reload} />}
    </ListScreen>
  );
}

function None({ search, total, first }: { search: CampaignsSearch; total: number; first: () => void }) {
  if (total > 0)
    return (
      <Empty title="This page has no campaigns">
        <Anchor component="button" type="button" size="sm" onClick={first}>
          Go to the first page
        </Anchor>
      </Empty>
    );
  if (search.q !== undefined || search.states !== undefined)
    return <Empty title="No campaign fits">Take another text or other states.</Empty>;
  return (
    <Empty title="No campaigns yet">
      A campaign says what the app shows or does when an event happens on a device.
    </Empty>
  );
}

type Sort = NonNullable<CampaignsSearch['sort']>;
const sorts: { value: Sort; label: string }[] = [
  { value: 'CREATED', label: 'Newest first' },
  { value: 'UPDATED', label: 'Last changed first' },
  { value: 'NAME', label: 'By name' },
  { value: 'PRIORITY', label: 'Highest priority first' },
  { value: 'STATE', label: 'By state' },
];

interface CampaignFiltersProps {
  q: string;
  states: CampaignState[];
  sort: Sort;
  change: (search: CampaignsSearch) => void;
}

/** Which campaigns the list shows: a text in their name, and their states with the number of campaigns in each. */
function CampaignFilters({ q, states, sort, change }: CampaignFiltersProps) {
  const { applicationId } = useApplication();
  // The counts name no campaign, so the cache would not know that a move changes them.
  const context = useMemo(() => ({ additionalTypenames: ['Campaign'] }), []);
  const variables = { applicationId, search: q || null };
  const [{ data }] = useQuery({ query: CampaignCountsDocument, variables, context });
  return (
    <Group gap="8px 16px">
      <TypedText
        w="min(100%, 18rem)"
        type="search"
        aria-label="Search by name"
        placeholder="Search by name"
        maxLength={256}
        value={q}
        change={(text) => change({ q: text === '' ? undefined : text })}
      />
      <NativeSelect
        size="xs"
        aria-label="Order"
        value={sort}
        onChange={({ target }) => change({ sort: target.value === 'CREATED' ? undefined : (target.value as Sort) })}
        data={sorts}
      />
      <Chip.Group
        multiple
        value={states}
        onChange={(chosen) => {
          const next = campaignStates.filter((state) => chosen.includes(state));
          change({ states: next.length > 0 ? next : undefined });
        }}
      >
        <Group gap={6} role="group" aria-label="States">
          {campaignStates.map((state) => (
            <Chip key={state} value={state} size="xs" variant="outline" radius="sm">
              {stateWords[state]}
              <span className="figure"> {data ? count(data[state]) : ''}</span>
            </Chip>
          ))}
        </Group>
      </Chip.Group>
      {states.length === 0 && (
        <Text size="xs" c="dimmed">
          All states but Archived
        </Text>
      )}
    </Group>
  );
}

type ListedCampaign = NonNullable<CampaignListQuery['campaigns']>[number];

interface Move {
  campaign: ListedCampaign;
  to: CampaignState;
}

/** The API has each order in one direction. */
const descending: Record<Sort, boolean> = {
  CREATED: true,
  UPDATED: true,
  NAME: false,
  PRIORITY: true,
  STATE: false,
};

function useColumns(move: (move: Move) => void): Column<ListedCampaign>[] {
  const { timeZone } = useApplication();
  const actions: Column<ListedCampaign> = {
    key: 'actions',
    head: 'Actions',
    cell: (row) => <RowMenu campaign={row} move={(to) => move({ campaign: row, to })} />,
  };
  // Near the name: at 1280 pixels the last columns are out of sight.
  return [...nameColumns, ...(useMay('editor') ? [actions] : []), ...columnsOf(timeZone)];
}

const nameColumns: Column<ListedCampaign>[] = [
  {
    key: 'name',
    head: 'Name',
    sort: 'NAME',
    rowHead: true,
    style: { maxWidth: 'min(15rem, 45vw)' },
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
      style: { maxWidth: '11rem' },
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

function RowMenu({ campaign, move }: { campaign: ListedCampaign; move: (to: CampaignState) => void }) {
  const { applicationId } = useApplication();
  const { id, name, state, allowedTransitions } = campaign;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="compact-xs" variant="default" aria-label={`Actions: ${name}`}>
          Actions
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {!isOver(state) && (
          <LinkItem to="/apps/$applicationId/campaigns/$id/edit" params={{ applicationId, id }}>
            Edit
          </LinkItem>
        )}
        <LinkItem to="/apps/$applicationId/campaigns/new" params={{ applicationId }} search={{ copy: id }}>
          Copy
        </LinkItem>
        {allowedTransitions.length > 0 && <Menu.Divider />}
        {allowedTransitions.map((to) => (
          <Menu.Item key={to} onClick={() => move(to)}>
            {moveWord(state, to)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
