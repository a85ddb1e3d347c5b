// Which campaigns the list shows: a text in their name, and their states with the number of campaigns in each.
import { Chip, Group, NativeSelect, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { CampaignCountsDocument } from '../../../../generated/screens/campaigns/graphql.ts';
import { campaignStates, stateWords, type CampaignState } from '../../parts/campaignState/states.ts';
import { count } from '../../parts/figures.ts';
import { TypedText } from '../../parts/TypedText.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Campaigns.module.css';
import type { CampaignsSearch } from '../searches.ts';

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

export function CampaignFilters({ q, states, sort, change }: CampaignFiltersProps) {
  const { applicationId } = useApplication();
  // The counts name no campaign, so the cache would not know that a move changes them.
  const context = useMemo(() => ({ additionalTypenames: ['Campaign'] }), []);
  const variables = { applicationId, search: q || null };
  const [{ data }] = useQuery({ query: CampaignCountsDocument, variables, context });
  return (
    <div className={classes.filters}>
      <TypedText
        className={classes.search}
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
    </div>
  );
}
