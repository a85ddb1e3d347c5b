// The campaigns of an application: found by name and state, in a chosen order, with what devices have reported of each.
import { Anchor, Button } from '@mantine/core';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useQuery } from 'urql';
import { CampaignListDocument } from '../../../../generated/screens/campaigns/graphql.ts';
import { Allowed } from '../../parts/access.tsx';
import { campaignStates, type CampaignState } from '../../parts/campaignState/states.ts';
import { MoveCampaign } from '../../parts/campaignState/MoveCampaign.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { NumberedPages } from '../../parts/table/NumberedPages.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import { CampaignFilters } from './CampaignFilters.tsx';
import { CampaignTable, type ListedCampaign } from './CampaignTable.tsx';
import type { CampaignsSearch } from '../searches.ts';

const size = 50;
const withoutArchived = campaignStates.filter((state) => state !== 'ARCHIVED');

export function Campaigns() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/campaigns' });
  const navigate = useNavigate({ from: '/apps/$applicationId/campaigns' });
  const { q = '', states = withoutArchived, sort = 'CREATED', page = 1 } = search;
  const [result, read] = useQuery({
    query: CampaignListDocument,
    variables: { applicationId, states, search: q || null, sort, limit: size, offset: (page - 1) * size },
  });
  const [moving, setMoving] = useState<{ campaign: ListedCampaign; to: CampaignState } | null>(null);
  const reload = () => read({ requestPolicy: 'network-only' });
  // Another filter or order begins at its first page.
  const change = (next: CampaignsSearch) =>
    void navigate({ search: (last) => ({ ...last, page: undefined, ...next }), replace: 'q' in next });
  return (
    <>
      <PageHead title="Campaigns" about={`What the app shows or does when an event happens. Times in ${timeZone}.`}>
        <Allowed least="editor" what="create and change campaigns">
          <Button size="sm" component={Link} to={`/apps/${applicationId}/campaign-editor`}>
            New campaign
          </Button>
        </Allowed>
      </PageHead>
      <Panel>
        <CampaignFilters q={q} states={search.states ?? []} sort={sort} change={change} />
        <Loaded result={result} pick={(data) => data} retry={reload} lines={12}>
          {({ campaigns, campaignsCount }) => (
            <>
              <CampaignTable
                campaigns={campaigns ?? []}
                sort={sort}
                changeSort={(next) => change({ sort: next === 'CREATED' ? undefined : next })}
                move={(campaign, to) => setMoving({ campaign, to })}
                empty={<None search={search} total={campaignsCount} first={() => change({})} />}
              />
              {campaignsCount > 0 && (
                <NumberedPages
                  what={campaignsCount === 1 ? 'campaign' : 'campaigns'}
                  total={campaignsCount}
                  page={page}
                  size={size}
                  change={(next) => change({ page: next === 1 ? undefined : next })}
                />
              )}
            </>
          )}
        </Loaded>
      </Panel>
      {moving && <MoveCampaign {...moving} close={() => setMoving(null)} reload={reload} />}
    </>
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
