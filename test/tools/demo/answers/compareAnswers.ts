// Compares what the reads of analytics say with what the devices and the store counted themselves.
import type { FakePurchase } from '../fakeStore/signedData.ts';
import { waitForCopy, type Asked } from './askAnalytics.ts';
import { countedActivity, countedSeries } from './countedActivity.ts';
import { countedFunnel, countedRetention } from './countedPaths.ts';
import { countedRevenue, revenueRange } from './countedRevenue.ts';
import { rangeOf } from './days.ts';
import { compareFigures, type AnswersComparison, type Figures } from './figures.ts';
import { saidActivity, saidFunnel, saidRetention, saidRevenue, saidSeries } from './saidFigures.ts';
import { timeOf, type SentLog } from './sentLog.ts';

/** The most rows that retention has in the table. */
const mostPeriods = 7;
const currency = 'EUR';

/** Call it when everything is sent and looked up. */
export async function compareAnswers(
  asked: Asked,
  { log, purchases: sold }: { log: SentLog; purchases: FakePurchase[] },
): Promise<AnswersComparison> {
  // What the store has booked early counts from its begin on.
  const purchases = sold.filter(({ purchasedAt }) => purchasedAt.getTime() <= Date.now());
  const behind = await waitForCopy(asked, Date.now());
  const range = rangeOf([...[...log.sessions.values()].map(timeOf), ...log.events.map(({ at }) => at)]);
  const sales = revenueRange(purchases);
  const periods = Math.min(mostPeriods, range.last - range.first);
  const counted = together(
    countedActivity(log, range),
    countedSeries(log, range),
    countedFunnel(log),
    countedRetention(log, range, periods),
    countedRevenue(purchases, currency, sales),
  );
  const said = together(
    await saidActivity(asked, range),
    await saidSeries(asked, range),
    await saidFunnel(asked, range),
    await saidRetention(asked, range, periods),
    await saidRevenue(asked, currency, sales),
  );
  const comparison = compareFigures(counted, said);
  return { ...comparison, problems: [...(behind === null ? [] : [behind]), ...comparison.problems] };
}

function together(...parts: Figures[]): Figures {
  return new Map(parts.flatMap((part) => [...part]));
}
