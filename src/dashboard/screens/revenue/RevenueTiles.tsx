// The figures of the whole range, each with the period before.
import { change } from '../../parts/figures.ts';
import type { Place } from '../../parts/PlaceLink.tsx';
import { Tiles } from '../../parts/tiles/Tiles.tsx';
import { canOpen, figureNames, numberOf, textOf, type Totals } from './revenueFigures.ts';
import { figures } from './search.ts';

interface RevenueTilesProps {
  totals: Totals;
  /** Null where the service gave none. */
  before: Totals | null;
  beforeName: string;
  currency: string;
  place: Place;
}

const titles = {
  gross: 'What was paid, before refunds.',
  net: 'Gross minus the refunds of the same days.',
  refunds: 'What was paid back in the range, also for purchases before it.',
  purchases: 'Purchases that are no renewals.',
  renewals: 'Later periods of subscriptions.',
  payers: 'The different users or devices that paid.',
};

export function RevenueTiles({ totals, before, beforeName, currency, place }: RevenueTilesProps) {
  return (
    <Tiles
      figures={figures.map((figure) => {
        const grown = before && change(numberOf(figure, totals), numberOf(figure, before));
        return {
          name: figureNames[figure],
          value: textOf(figure, totals, currency),
          title: titles[figure],
          note:
            before &&
            `${grown === null ? '' : `${grown} from `}${textOf(figure, before, currency)} in the ${beforeName}`,
          ...(canOpen(figure) && { behind: { ...place, label: `${figureNames[figure]}, see the transactions` } }),
        };
      })}
    />
  );
}
