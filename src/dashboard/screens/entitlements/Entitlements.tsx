// What the customers of the application own, newest first: filters, pages, and all that the API says of one line.
import { Button, Group, NativeSelect } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { EntitlementsDocument } from '../../../../generated/screens/entitlements/graphql.ts';
import classes from '../../parts/filters/FilterBar.module.css';
import { TextFilter } from '../../parts/filters/TextFilter.tsx';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { deviceOf, transactionsOf } from '../../parts/purchases/links.ts';
import { Loaded } from '../../parts/states.tsx';
import { CursorPages } from '../../parts/table/CursorPages.tsx';
import { usePages } from '../../parts/table/pages.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import { EntitlementDrawer } from './EntitlementDrawer.tsx';
import { EntitlementTable } from './EntitlementTable.tsx';
import type { EntitlementsSearch } from '../searches.ts';

export function Entitlements() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/entitlements' });
  const navigate = useNavigate({ from: '/apps/$applicationId/entitlements' });
  const change = (next: Partial<EntitlementsSearch>): void =>
    void navigate({ search: (last: EntitlementsSearch) => ({ ...last, ...next }) });
  const { user, device, active, after, open } = search;
  const variables = { applicationId, externalId: user, deviceId: device, active, after };
  const [result, read] = useQuery({ query: EntitlementsDocument, variables });
  const pages = usePages(after, (next) => change({ after: next, open: undefined }));
  const opened = result.data?.entitlements.nodes.find(({ id }) => id === open) ?? null;
  const filtered = user !== undefined || device !== undefined || active !== undefined;
  return (
    <>
      <PageHead title="Entitlements" about={`What customers own, newest purchase first. Times in ${timeZone}.`} />
      <EntitlementFilters search={search} change={(next) => change({ after: undefined, open: undefined, ...next })} />
      <Panel>
        <Loaded result={result} pick={(data) => data.entitlements} retry={read} lines={8}>
          {(page) => (
            <>
              <EntitlementTable nodes={page.nodes} filtered={filtered} open={(id) => change({ open: id })} />
              <CursorPages
                one="entitlement"
                many="entitlements"
                shown={page.nodes.length}
                reading={result.fetching}
                {...{ pages, ...page }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      <EntitlementDrawer line={opened} close={() => change({ open: undefined })} />
    </>
  );
}

interface EntitlementFiltersProps {
  search: EntitlementsSearch;
  change: (next: Partial<EntitlementsSearch>) => void;
}

const actives = { '': 'All', true: 'Active', false: 'Not active' };

function EntitlementFilters({ search: { user, device, active }, change }: EntitlementFiltersProps) {
  const { applicationId } = useApplication();
  return (
    <>
      <div className={classes.bar}>
        <NativeSelect
          size="xs"
          label="Show"
          value={String(active ?? '')}
          onChange={({ target }) => change({ active: target.value === '' ? undefined : target.value === 'true' })}
          data={Object.entries(actives).map(([value, label]) => ({ value, label }))}
        />
        <TextFilter label="User (external_id)" value={user} change={(next) => change({ user: next })} />
        <TextFilter label="Device id" value={device} change={(next) => change({ device: next })} />
        {(user ?? device ?? active) !== undefined && (
          <Button
            size="xs"
            variant="default"
            onClick={() => change({ user: undefined, device: undefined, active: undefined })}
          >
            Clear filters
          </Button>
        )}
      </div>
      {(user ?? device) !== undefined && (
        <Group gap="md" mb="sm" fz="sm">
          {device !== undefined && <PlaceLink {...deviceOf(applicationId, device)}>Open this device</PlaceLink>}
          <PlaceLink {...transactionsOf(applicationId, { user, device })}>See the transactions</PlaceLink>
        </Group>
      )}
    </>
  );
}
