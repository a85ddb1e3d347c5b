// The store transactions of the application, newest first: filters, pages, and all that the API says of one.
import { Button, Drawer, Group, Text, TextInput } from '@mantine/core';
import { useQuery } from 'urql';
import {
  StoreTransactionsDocument,
  TransactionProductsDocument,
  type StoreTransactionsQuery,
} from '../../../../generated/screens/transactions/graphql.ts';
import { Copy } from '../../parts/Copy.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { GivenText } from '../../parts/GivenText.tsx';
import { countryName, decimal, time } from '../../parts/figures.ts';
import { ChoiceFilter, TextFilter } from '../../parts/inputs.tsx';
import { Facts, type Fact } from '../../parts/layout.tsx';
import { OpenButton, TextLink } from '../../parts/links.tsx';
import { usePages } from '../../parts/pages.tsx';
import {
  deviceOf,
  entitlementsOf,
  environments,
  kinds,
  offerModes,
  offers,
  ownerships,
  Price,
  ProductName,
  reasonText,
  revocationReasons,
  revocationTypes,
  states,
} from '../../parts/purchases.tsx';
import { useLast } from '../../parts/queries.ts';
import { dayBefore, dayStart } from '../../parts/range.ts';
import { Empty } from '../../parts/states.tsx';
import { useAddress } from '../../parts/useAddress.ts';
import { useApplication } from '../../session/me.ts';
import { ListScreen } from '../ListScreen.tsx';
import type { TransactionsSearch } from '../searches.ts';

export function Transactions() {
  const { applicationId, timeZone, search, change } = useAddress('/apps/$applicationId/transactions');
  const { state, product, user, device, from, to, after, open } = search;
  const [result, read] = useQuery({
    query: StoreTransactionsDocument,
    variables: {
      ...{ applicationId, state, after, productId: product, externalId: user, deviceId: device },
      from: from && dayStart(from, timeZone),
      to: to && dayStart(dayBefore(to, -1), timeZone),
    },
  });
  const at = usePages(after, (next) => change({ after: next, open: undefined }));
  const opened = result.data?.storeTransactions.nodes.find(({ id }) => id === open) ?? null;
  return (
    <ListScreen
      title="Transactions"
      about={`What devices have uploaded and stores have told, newest purchase first. Times in ${timeZone}.`}
      above={<Filters search={search} change={(next) => change({ after: undefined, open: undefined, ...next })} />}
      {...{ result, read }}
      pick={(data) => data.storeTransactions}
      pages={{ at, one: 'transaction', many: 'transactions' }}
      caption="Store transactions, newest first"
      columns={columnsOf({ timeZone, search, open: (id) => change({ open: id }) })}
      rowKey={({ id }) => id}
      empty={
        isFiltered(search) ? (
          <Empty title="No transaction fits the filters" />
        ) : (
          <Empty title="No transactions yet">
            The SDK uploads the ids of purchases, and the service asks the store about them with the{' '}
            <TextLink inherit underline="always" to="/apps/$applicationId/store" params={{ applicationId }}>
              store credentials
            </TextLink>
            .
          </Empty>
        )
      }
    >
      <TransactionDrawer transaction={opened} close={() => change({ open: undefined })} />
    </ListScreen>
  );
}

interface FiltersProps {
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

const isFiltered = (search: TransactionsSearch): boolean =>
  Object.keys(none).some((name) => search[name as keyof typeof none] !== undefined);

/** The filters of the transactions, and what they say about the list. */
function Filters({ search, change }: FiltersProps) {
  const { applicationId, timeZone } = useApplication();
  const [{ data }] = useQuery({ query: TransactionProductsDocument, variables: { applicationId } });
  const { from, to, state, product, user, device } = search;
  return (
    <>
      <Group align="end" gap={8} mb={12}>
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
        <ChoiceFilter label="State" any="Any" words={states} value={state} change={(next) => change({ state: next })} />
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
      </Group>
      <Remarks search={search} />
    </>
  );
}

function Remarks({ search: { revenue, counts, test, user, device, from, to } }: Pick<FiltersProps, 'search'>) {
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
          {device !== undefined && (
            <TextLink inherit {...deviceOf(applicationId, device)}>
              Open this device
            </TextLink>
          )}
          <TextLink inherit {...entitlementsOf(applicationId, { user, device })}>
            See what {user === undefined ? 'this device' : 'this user'} owns
          </TextLink>
        </Group>
      )}
    </>
  );
}

interface Shown {
  timeZone: string;
  search: TransactionsSearch;
  open: (id: string) => void;
}

function columnsOf({ timeZone, search, open }: Shown) {
  const { revenue, test = false } = search;
  const counts: Column<Transaction> = {
    key: 'counts',
    head: `In revenue (${revenue})`,
    cell: (one) => countsAs(one, { currency: revenue!, includeTest: test }),
  };
  const columns: Column<Transaction>[] = [
    {
      key: 'id',
      head: 'Transaction',
      rowHead: true,
      cell: ({ id }) => <OpenButton text={id} what="transaction" open={() => open(id)} />,
    },
    {
      key: 'purchased',
      head: 'Bought',
      cell: ({ purchasedAt }) => (purchasedAt == null ? 'not known yet' : time(purchasedAt, timeZone)),
    },
    { key: 'product', head: 'Product', cell: (one) => <ProductName {...one} /> },
    { key: 'price', head: 'Price', numeric: true, cell: (one) => <Price {...one} /> },
    ...(revenue === undefined ? [] : [counts]),
    {
      key: 'kind',
      head: 'Kind',
      cell: (one) => (one.kind ? `${kinds[one.kind]}${isRenewal(one) ? ', renewal' : ''}` : '—'),
    },
    {
      key: 'state',
      head: 'State',
      cell: (one) => (
        <Text size="sm" maw="15rem" truncate title={stateOf(one, timeZone)}>
          {stateOf(one, timeZone)}
        </Text>
      ),
    },
    { key: 'offer', head: 'Offer', cell: ({ offer }) => (offer && offer !== 'NONE' ? offers[offer] : '—') },
    { key: 'country', head: 'Country', cell: ({ storefront }) => storefront ?? '—' },
  ];
  return columns;
}

function stateOf({ state, reason, revokedAt }: Transaction, timeZone: string): string {
  if (revokedAt != null) return `Taken back ${time(revokedAt, timeZone)}`;
  return reason == null ? states[state] : `${states[state]}: ${reasonText(reason)}`;
}

/** All that the API says of one transaction. */
function TransactionDrawer({ transaction, close }: { transaction: Transaction | null; close: () => void }) {
  const { timeZone } = useApplication();
  const shown = useLast(transaction);
  return (
    <Drawer opened={transaction !== null} onClose={close} title="Transaction" position="right">
      {shown && <Facts facts={[...boughtFacts(shown, timeZone), ...lookUpFacts(shown, timeZone)]} />}
    </Drawer>
  );
}

const given = (text: string | null | undefined) => (text == null ? null : <GivenText text={text} />);

function boughtFacts(transaction: Transaction, timeZone: string): Fact[] {
  const { id, originalId, productId, kind, environment, ownership, offer, offerMode, storefront } = transaction;
  const { purchasedAt, expiresAt, price, currency, quantity } = transaction;
  return [
    { name: 'Transaction', value: <Copy value={id} label="the transaction" /> },
    { name: 'First transaction', value: originalId === id ? 'this one' : given(originalId) },
    { name: 'Product', value: given(productId) },
    { name: 'Kind', value: kind && kinds[kind] },
    { name: `Bought (${timeZone})`, value: purchasedAt && time(purchasedAt, timeZone, 'full') },
    { name: 'Paid until', value: expiresAt && time(expiresAt, timeZone, 'full') },
    { name: 'Price', value: <Price {...{ price, currency, quantity }} /> },
    { name: 'Offer', value: offer && [offers[offer], offerMode && offerModes[offerMode]].filter(Boolean).join(', ') },
    { name: 'Owned as', value: ownership && ownerships[ownership] },
    { name: 'Country of the store', value: storefront && countryName(storefront) },
    { name: 'Environment', value: environment && environments[environment] },
    ...revocationFacts(transaction, timeZone),
  ];
}

function revocationFacts(transaction: Transaction, timeZone: string): Fact[] {
  const { revokedAt, revocationType, revocationReason, revocationPercent } = transaction;
  if (revokedAt == null) return [{ name: 'Taken back', value: 'no' }];
  return [
    { name: 'Taken back', value: time(revokedAt, timeZone, 'full') },
    { name: 'How', value: revocationType && revocationTypes[revocationType] },
    { name: 'Part of the price', value: revocationPercent == null ? null : `${decimal(revocationPercent)} %` },
    { name: 'Why', value: revocationReason && revocationReasons[revocationReason] },
  ];
}

function lookUpFacts(transaction: Transaction, timeZone: string): Fact[] {
  const { state, reason, receivedAt, resolvedAt, lastLookedUpAt, lastLookUpError } = transaction;
  return [
    { name: 'State', value: states[state] },
    ...(reason == null ? [] : [{ name: 'Reason', value: reasonText(reason) }]),
    { name: 'First arrived', value: time(receivedAt, timeZone, 'full') },
    { name: 'Settled', value: resolvedAt && time(resolvedAt, timeZone, 'full') },
    { name: 'Last look-up', value: lastLookedUpAt && time(lastLookedUpAt, timeZone, 'full') },
    { name: 'Its error', value: lastLookUpError == null ? 'none' : reasonText(lastLookUpError) },
  ];
}

type Transaction = StoreTransactionsQuery['storeTransactions']['nodes'][number];

interface Revenue {
  currency: string;
  includeTest: boolean;
}

/** As what a transaction counts in the revenue of a currency: schema.graphql (revenue). */
function countsAs(transaction: Transaction, { currency, includeTest }: Revenue): string {
  const reason = notCounted(transaction, { currency, includeTest });
  if (reason !== null) return `no: ${reason}`;
  return isRenewal(transaction) ? 'renewal' : 'purchase';
}

/** A later period of a subscription. */
function isRenewal({ id, originalId, kind }: Transaction): boolean {
  return kind === 'AUTO_RENEWABLE' && originalId !== null && originalId !== id;
}

function notCounted(transaction: Transaction, { currency, includeTest }: Revenue): string | null {
  if (transaction.state !== 'RESOLVED') return 'not verified';
  if (transaction.environment === 'SANDBOX' && !includeTest) return 'sandbox';
  if (transaction.ownership === 'FAMILY_SHARED') return 'shared by the family';
  if (transaction.price == null) return 'no price';
  // A renewal that the store has booked early.
  if (transaction.purchasedAt != null && new Date(transaction.purchasedAt) > new Date()) return 'not begun yet';
  return transaction.currency === currency ? null : 'another currency';
}
