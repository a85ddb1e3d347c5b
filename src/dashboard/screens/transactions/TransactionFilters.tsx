// The filters of the transactions, and what they say about the list.
import { Button, Group, NativeSelect, Text, TextInput } from '@mantine/core';
import { useQuery } from 'urql';
import { TransactionProductsDocument } from '../../../../generated/screens/transactions/graphql.ts';
import { TextFilter } from '../../parts/filters/TextFilter.tsx';
import classes from '../../parts/filters/FilterBar.module.css';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { deviceOf, entitlementsOf } from '../../parts/purchases/links.ts';
import { states } from '../../parts/purchases/words.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import type { TransactionsSearch } from '../searches.ts';

interface TransactionFiltersProps {
  search: TransactionsSearch;
  change: (next: Partial<TransactionsSearch>) => void;
}

const none = {
  state: undefined,
  product: undefined,
  user: undefined,
  device: undefined,
  from: undefined,
  to: undefined,
  revenue: undefined,
  counts: undefined,
  test: undefined,
} satisfies TransactionsSearch;

export const isFiltered = (search: TransactionsSearch): boolean =>
  Object.keys(none).some((name) => search[name as keyof typeof none] !== undefined);

export function TransactionFilters({ search, change }: TransactionFiltersProps) {
  const { applicationId, timeZone } = useApplication();
  const [{ data }] = useQuery({ query: TransactionProductsDocument, variables: { applicationId } });
  const { from, to, state, product, user, device } = search;
  return (
    <>
      <div className={classes.bar}>
        <TextInput
          size="xs"
          type="date"
          label="Bought from"
          value={from ?? ''}
          max={to}
          onChange={({ target }) => change({ from: target.value || undefined })}
        />
        <TextInput
          size="xs"
          type="date"
          label={`To (${timeZone})`}
          value={to ?? ''}
          min={from}
          onChange={({ target }) => change({ to: target.value || undefined })}
        />
        <NativeSelect
          size="xs"
          label="State"
          value={state ?? ''}
          onChange={({ target }) => change({ state: (target.value || undefined) as TransactionsSearch['state'] })}
          data={[{ value: '', label: 'Any' }, ...Object.entries(states).map(([value, label]) => ({ value, label }))]}
        />
        <TextFilter
          label="Product"
          value={product}
          options={data?.products.map(({ productId }) => productId) ?? []}
          change={(next) => change({ product: next })}
        />
        <TextFilter label="User (external_id)" value={user} change={(next) => change({ user: next })} />
        <TextFilter label="Device id" value={device} change={(next) => change({ device: next })} />
        {isFiltered(search) && (
          <Button size="xs" variant="default" onClick={() => change(none)}>
            Clear filters
          </Button>
        )}
      </div>
      <Remarks search={search} />
    </>
  );
}

function Remarks({
  search: { revenue, counts, test, user, device, from, to },
}: Pick<TransactionFiltersProps, 'search'>) {
  const { applicationId } = useApplication();
  return (
    <>
      {revenue !== undefined && (
        <Text size="sm" c="dimmed" mb="sm">
          {counts === undefined
            ? `The revenue of ${revenue} counts the rows that say “purchase” or “renewal”`
            : `The ${counts}s in the revenue of ${revenue} are the rows that say “${counts}”`}
          {test ? ', the sandbox included.' : '. The sandbox is left out.'}
        </Text>
      )}
      {(from !== undefined || to !== undefined) && (
        <Text size="sm" c="dimmed" mb="sm">
          Transactions without a purchase date, which are not verified yet, are left out by the days.
        </Text>
      )}
      {(user !== undefined || device !== undefined) && (
        <Group gap="md" mb="sm" fz="sm">
          {device !== undefined && <PlaceLink {...deviceOf(applicationId, device)}>Open this device</PlaceLink>}
          <PlaceLink {...entitlementsOf(applicationId, { user, device })}>
            See what {user === undefined ? 'this device' : 'this user'} owns
          </PlaceLink>
        </Group>
      )}
    </>
  );
}
