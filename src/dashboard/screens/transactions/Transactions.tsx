// The store transactions of the application, newest first: filters, pages, and all that the API says of one.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useQuery } from 'urql';
import { StoreTransactionsDocument } from '../../../../generated/screens/transactions/graphql.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { dayStart } from '../../parts/range/dayStart.ts';
import { dayBefore } from '../../parts/range/range.ts';
import { Loaded } from '../../parts/states.tsx';
import { CursorPages } from '../../parts/table/CursorPages.tsx';
import { usePages } from '../../parts/table/pages.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import type { TransactionsSearch } from '../searches.ts';
import { TransactionDrawer } from './TransactionDrawer.tsx';
import { TransactionFilters } from './TransactionFilters.tsx';
import { TransactionTable } from './TransactionTable.tsx';

export function Transactions() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/transactions' });
  const navigate = useNavigate({ from: '/apps/$applicationId/transactions' });
  const change = (next: Partial<TransactionsSearch>): void =>
    void navigate({ search: (last: TransactionsSearch) => ({ ...last, ...next }) });
  const { state, product, user, device, from, to, after, open } = search;
  const [result, read] = useQuery({
    query: StoreTransactionsDocument,
    variables: {
      ...{ applicationId, state, after, productId: product, externalId: user, deviceId: device },
      from: from && dayStart(from, timeZone),
      to: to && dayStart(dayBefore(to, -1), timeZone),
    },
  });
  const pages = usePages(after, (next) => change({ after: next, open: undefined }));
  const opened = result.data?.storeTransactions.nodes.find(({ id }) => id === open) ?? null;
  return (
    <>
      <PageHead
        title="Transactions"
        about={`What devices have uploaded and stores have told, newest purchase first. Times in ${timeZone}.`}
      />
      <TransactionFilters search={search} change={(next) => change({ after: undefined, open: undefined, ...next })} />
      <Panel>
        <Loaded result={result} pick={(data) => data.storeTransactions} retry={read} lines={8}>
          {(page) => (
            <>
              <TransactionTable nodes={page.nodes} search={search} open={(id) => change({ open: id })} />
              <CursorPages
                one="transaction"
                many="transactions"
                shown={page.nodes.length}
                reading={result.fetching}
                {...{ pages, ...page }}
              />
            </>
          )}
        </Loaded>
      </Panel>
      <TransactionDrawer transaction={opened} close={() => change({ open: undefined })} />
    </>
  );
}
