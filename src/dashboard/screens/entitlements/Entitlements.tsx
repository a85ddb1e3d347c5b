// What the customers of the application own, newest first: filters, pages, and all that the API says of one line.
import { Box, Button, Drawer, Group, Stack } from '@mantine/core';
import { useQuery } from 'urql';
import { EntitlementsDocument, type EntitlementsQuery } from '../../../../generated/screens/entitlements/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { count, time } from '../../parts/figures.ts';
import { ChoiceFilter, TextFilter } from '../../parts/inputs.tsx';
import { Facts, type Fact } from '../../parts/layout.tsx';
import { DeviceLink, OpenButton, TextLink } from '../../parts/links.tsx';
import { usePages } from '../../parts/pages.tsx';
import {
  deviceOf,
  environments,
  kinds,
  ownerships,
  Price,
  ProductName,
  transactionsOf,
} from '../../parts/purchases.tsx';
import { useLast } from '../../parts/queries.ts';
import { Empty } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { useApplication } from '../../session/me.ts';
import { ListScreen } from '../ListScreen.tsx';
import type { EntitlementsSearch } from '../searches.ts';

const none = { user: undefined, device: undefined, active: undefined } satisfies EntitlementsSearch;

export function Entitlements() {
  const { applicationId, timeZone, search, change } = useAddress('/apps/$applicationId/entitlements');
  const { user, device, active, after, open } = search;
  const variables = { applicationId, externalId: user, deviceId: device, active, after };
  const [result, read] = useQuery({ query: EntitlementsDocument, variables });
  const at = usePages(after, (next) => change({ after: next, open: undefined }));
  const opened = result.data?.entitlements.nodes.find(({ id }) => id === open) ?? null;
  const filtered = user !== undefined || device !== undefined || active !== undefined;
  return (
    <ListScreen
      title="Entitlements"
      about={`What customers own, newest purchase first. Times in ${timeZone}.`}
      above={
        <Filters
          search={search}
          filtered={filtered}
          change={(next) => change({ after: undefined, open: undefined, ...next })}
        />
      }
      {...{ result, read }}
      pick={(data) => data.entitlements}
      pages={{ at, one: 'entitlement', many: 'entitlements' }}
      caption="Entitlements, newest first"
      columns={columnsOf({ applicationId, timeZone, open: (id) => change({ open: id }) })}
      rowKey={({ id }) => id}
      empty={
        filtered ? (
          <Empty title="No entitlement fits the filters" />
        ) : (
          <Empty title="Nobody owns anything yet">
            An entitlement appears here once the store has verified a purchase.
          </Empty>
        )
      }
    >
      <EntitlementDrawer line={opened} close={() => change({ open: undefined })} />
    </ListScreen>
  );
}

interface FiltersProps {
  search: EntitlementsSearch;
  filtered: boolean;
  change: (next: Partial<EntitlementsSearch>) => void;
}

function Filters({ search: { user, device, active }, filtered, change }: FiltersProps) {
  const { applicationId } = useApplication();
  const chosen = active === undefined ? undefined : active ? 'active' : 'other';
  return (
    <>
      <Group align="end" gap={8} mb={12}>
        <ChoiceFilter
          label="Show"
          any="All"
          words={{ active: 'Active', other: 'Not active' }}
          value={chosen}
          change={(next) => change({ active: next && next === 'active' })}
        />
        <TextFilter label="User (external_id)" value={user} change={(next) => change({ user: next })} />
        <TextFilter label="Device id" value={device} change={(next) => change({ device: next })} />
        {filtered && (
          <Button size="xs" variant="default" onClick={() => change(none)}>
            Clear filters
          </Button>
        )}
      </Group>
      {(user ?? device) !== undefined && (
        <Group gap="md" mb="sm" fz="sm">
          {device !== undefined && (
            <TextLink inherit {...deviceOf(applicationId, device)}>
              Open this device
            </TextLink>
          )}
          <TextLink inherit {...transactionsOf(applicationId, { user, device })}>
            See the transactions
          </TextLink>
        </Group>
      )}
    </>
  );
}

function Owner({ id }: { id: string }) {
  return (
    <Box maw="9rem">
      <GivenText text={id} cut />
    </Box>
  );
}

interface Shown {
  applicationId: string;
  timeZone: string;
  open: (id: string) => void;
}

function columnsOf({ applicationId, timeZone, open }: Shown): Column<Line>[] {
  return [
    {
      key: 'id',
      head: 'Line',
      rowHead: true,
      cell: ({ id }) => <OpenButton text={id} what="line" open={() => open(id)} />,
    },
    { key: 'purchased', head: 'Bought', cell: ({ purchasedAt }) => time(purchasedAt, timeZone) },
    { key: 'product', head: 'Product', cell: (line) => <ProductName {...line} /> },
    { key: 'state', head: 'State', cell: stateOf },
    {
      key: 'expires',
      head: 'Until',
      cell: ({ expiresAt }) => (expiresAt == null ? 'without end' : time(expiresAt, timeZone)),
    },
    {
      key: 'user',
      head: 'User',
      cell: ({ owner }) => (owner ? <Owner id={owner.externalId} /> : 'no owner'),
    },
    {
      key: 'device',
      head: 'First device',
      cell: ({ owner }) =>
        owner?.deviceId == null ? '—' : <DeviceLink applicationId={applicationId} id={owner.deviceId} />,
    },
    { key: 'price', head: 'Price', numeric: true, cell: (line) => <Price {...line} /> },
    { key: 'renews', head: 'Renews', cell: renewalOf },
    { key: 'kind', head: 'Kind', cell: ({ kind }) => kinds[kind] },
  ];
}

/** All that the API says of one line. */
function EntitlementDrawer({ line, close }: { line: Line | null; close: () => void }) {
  const { applicationId, timeZone } = useApplication();
  const shown = useLast(line);
  return (
    <Drawer opened={line !== null} onClose={close} title="Entitlement" position="right">
      {shown && <Facts facts={[...ownerFacts(shown, applicationId), ...periodFacts(shown, timeZone)]} />}
    </Drawer>
  );
}

function ownerFacts({ id, owner }: Line, applicationId: string): Fact[] {
  return [
    { name: 'Line', value: <Copy value={id} label="the line" /> },
    { name: 'User', value: owner ? <User id={owner.externalId} /> : 'no owner' },
    {
      name: 'First device',
      value: owner?.deviceId == null ? null : <DeviceLink applicationId={applicationId} id={owner.deviceId} />,
    },
  ];
}

function User({ id }: { id: string }) {
  const { applicationId } = useApplication();
  return (
    <Stack gap={2}>
      <GivenText text={id} />
      <TextLink inherit {...transactionsOf(applicationId, { user: id })}>
        Transactions of this user
      </TextLink>
    </Stack>
  );
}

function periodFacts(line: Line, timeZone: string): Fact[] {
  const { productId, kind, purchasedAt, expiresAt, graceExpiresAt, revokedAt, environment, ownership } = line;
  const { price, currency, quantity, inBillingRetry, storeTransactionIds } = line;
  return [
    { name: 'State', value: stateOf(line) },
    { name: 'Product', value: <GivenText text={productId} /> },
    { name: 'Kind', value: kinds[kind] },
    { name: `Bought (${timeZone})`, value: time(purchasedAt, timeZone, 'full') },
    { name: 'Until', value: expiresAt == null ? 'without end' : time(expiresAt, timeZone, 'full') },
    { name: 'Grace until', value: graceExpiresAt && time(graceExpiresAt, timeZone, 'full') },
    { name: 'In billing retry', value: inBillingRetry ? 'yes' : 'no' },
    { name: 'Renews', value: renewalOf(line) },
    { name: 'Taken back', value: revokedAt == null ? 'no' : time(revokedAt, timeZone, 'full') },
    { name: 'Price', value: <Price {...{ price, currency, quantity }} /> },
    { name: 'Owned as', value: ownership && ownerships[ownership] },
    { name: 'Environment', value: environments[environment] },
    { name: `Transactions (${count(storeTransactionIds.length)})`, value: <Ids ids={storeTransactionIds} /> },
  ];
}

function Ids({ ids }: { ids: readonly string[] }) {
  return (
    <Stack gap={2}>
      {ids.map((id) => (
        <GivenText key={id} text={id} />
      ))}
    </Stack>
  );
}

type Line = EntitlementsQuery['entitlements']['nodes'][number];

/** `active` is the service's own word. The rest says why. */
function stateOf({ active, revokedAt, graceExpiresAt, inBillingRetry }: Line): string {
  if (active) return inBillingRetry && graceExpiresAt !== null ? 'Active, in grace' : 'Active';
  if (revokedAt !== null) return 'Taken back';
  return inBillingRetry ? 'Ended, in billing retry' : 'Ended';
}

function renewalOf({ kind, autoRenew }: Line): string {
  if (kind !== 'AUTO_RENEWABLE') return '—';
  if (autoRenew == null) return 'not known';
  return autoRenew ? 'yes' : 'no';
}
