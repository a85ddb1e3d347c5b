// What the purchases of one currency brought: totals against the period before, a chart, and a breakdown.
import { NativeSelect, Switch } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { RevenueCurrenciesDocument } from '../../../../generated/screens/revenue/graphql.ts';
import { PageHead } from '../../parts/PageHead.tsx';
import { PlaceLink } from '../../parts/PlaceLink.tsx';
import { rangeOf } from '../../parts/range/range.ts';
import { RangePicker } from '../../parts/range/RangePicker.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { useQuestion } from '../../parts/useQuestion.ts';
import { useApplication } from '../../shell/chosenApplication.ts';
import classes from './Revenue.module.css';
import { RevenueReport } from './RevenueReport.tsx';
import type { RevenueSearch } from '../searches.ts';
import type { Breakdown } from './revenueFigures.ts';

const breakdownNames: Record<Breakdown, string> = {
  NONE: 'Nothing',
  PRODUCT: 'Product',
  COUNTRY: 'Country of the store',
  PLATFORM: 'Platform',
};

export function Revenue() {
  const { applicationId, timeZone } = useApplication();
  const search = useSearch({ from: '/inside/apps/$applicationId/revenue' });
  const navigate = useNavigate({ from: '/apps/$applicationId/revenue' });
  const change = (next: Partial<RevenueSearch>): void =>
    void navigate({ search: (last: RevenueSearch) => ({ ...last, ...next }) });
  const { by = 'NONE', test = false } = search;
  const variables = { applicationId, includeTest: test };
  const [currencies, readCurrencies] = useQuestion({ query: RevenueCurrenciesDocument, variables });
  return (
    <>
      <PageHead title="Revenue" about={`Purchases before taxes and the store's share. Days in ${timeZone}.`}>
        <Switch
          label="Sandbox"
          checked={test}
          onChange={({ target }) => change({ test: target.checked || undefined })}
        />
      </PageHead>
      <Loaded result={currencies} pick={(data) => data.revenueCurrencies} retry={readCurrencies}>
        {(found) => {
          const currency = search.currency ?? found[0];
          if (currency === undefined) return <NoPurchases applicationId={applicationId} test={test} />;
          const choices = found.includes(currency) ? found : [currency, ...found];
          return (
            <>
              <div className={classes.controls}>
                <NativeSelect
                  size="xs"
                  label="Currency"
                  value={currency}
                  onChange={({ target }) => change({ currency: target.value })}
                  data={choices}
                />
                <NativeSelect
                  size="xs"
                  label="Break down by"
                  value={by}
                  onChange={({ target }) => change({ by: target.value as Breakdown })}
                  data={Object.entries(breakdownNames).map(([value, label]) => ({ value, label }))}
                />
                <RangePicker
                  range={rangeOf(search, timeZone)}
                  timeZone={timeZone}
                  change={(next) => change(next as Partial<RevenueSearch>)}
                  units={false}
                />
              </div>
              <RevenueReport currency={currency} search={search} change={change} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

function NoPurchases({ applicationId, test }: { applicationId: string; test: boolean }) {
  return (
    <Empty title="No purchases with a price yet">
      {!test && 'Purchases of the sandbox are left out: turn on “Sandbox” to see them. '}
      Apps report their purchases, and the service asks the store for the prices.{' '}
      <PlaceLink inText to={`/apps/${applicationId}/transactions`}>
        See all transactions
      </PlaceLink>
    </Empty>
  );
}
