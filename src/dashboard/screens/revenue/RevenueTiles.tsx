// The figures of the whole range, each with the period before.
import type { Place } from '../../parts/PlaceLink.tsx';
import { beforeNote } from '../../parts/tiles/beforeNote.ts';
import { Tiles } from '../../parts/tiles/Tiles.tsx';
import { figureNames, inDigits, numberOf, openingOf, textOf, type Totals } from './revenueFigures.ts';
import { revenueFigureNames } from '../searches.ts';
import { type Figure } from './revenueFigures.ts';

interface RevenueTilesProps {
  totals: Totals;
  /** Null where the service gave none. */
  before: Totals | null;
  currency: string;
  placeOf: (figure: Figure) => Place;
}

const titles = {
  gross: 'What was paid, before refunds.',
  net: 'Gross minus the refunds of the same days.',
  refunds: 'What was paid back in the range, also for purchases before it.',
  purchases: 'Purchases that are no renewals.',
  renewals: 'Later periods of subscriptions.',
  payers: 'The different users or devices that paid.',
};

export function RevenueTiles({ currency, placeOf, ...exact }: RevenueTilesProps) {
  const totals = inDigits(exact.totals, currency);
  const before = exact.before && inDigits(exact.before, currency);
  return (
    <Tiles
      figures={revenueFigureNames.map((figure) => ({
        name: figureNames[figure],
        value: textOf(figure, totals, currency),
        title: titleOf(figure, exact.totals, { shown: textOf(figure, totals, currency), currency }),
        note:
          before &&
          beforeNote(numberOf(figure, totals), numberOf(figure, before), () => textOf(figure, before, currency)),
        ...behindOf(figure, totals, placeOf),
      }))}
    />
  );
}

function titleOf(figure: Figure, exact: Totals, { shown, currency }: { shown: string; currency: string }): string {
  const text = textOf(figure, exact, currency);
  return text === shown ? titles[figure] : `${titles[figure]} Exactly ${text}.`;
}

function behindOf(figure: Figure, totals: Totals, placeOf: RevenueTilesProps['placeOf']) {
  const opening = openingOf(figure);
  if (!opening || numberOf(figure, totals) === 0) return {};
  return { behind: { ...placeOf(figure), label: `${figureNames[figure]}, ${opening.label}` } };
}
