// The figures of the whole range, each with the one of the period before. Units and sessions open their devices.
import { count, duration, percent } from '../../parts/figures.ts';
import { beforeNote } from '../../parts/tiles/beforeNote.ts';
import { Tiles, type TileFigure } from '../../parts/tiles/Tiles.tsx';
import type { Activity } from './overview.ts';

export type OpenFigure = 'ACTIVE' | 'NEW' | 'SESSIONS';

interface OverviewTilesProps {
  activity: Activity;
  /** `devices` or `users`. */
  units: string;
  /** The last day of the range as people read it. */
  until: string;
  open: (figure: OpenFigure, title: string) => void;
}

export function OverviewTiles({ activity, units, until, open }: OverviewTilesProps) {
  const { totals, previous, stickiness } = activity;
  const before = previous?.totals;
  const opened = (name: string, figure: OpenFigure, [now, last]: [number, number | undefined]): TileFigure => ({
    name,
    value: count(now),
    note: beforeNote(now, last, count),
    ...(now > 0 && { behind: { label: `${name}, show the devices`, open: () => open(figure, name) } }),
  });
  const { medianSessionSeconds: median, events } = totals;
  return (
    <Tiles
      figures={[
        opened(`Active ${units}`, 'ACTIVE', [totals.active, before?.active]),
        opened(`New ${units}`, 'NEW', [totals.new, before?.new]),
        opened('Sessions', 'SESSIONS', [totals.sessions, before?.sessions]),
        {
          name: 'Median session',
          value: duration(median),
          note: beforeNote(median, before?.medianSessionSeconds, duration),
          title: 'Of two sessions one is shorter and one is longer. Sessions without an end are left out.',
        },
        {
          name: 'Events',
          value: count(events),
          note: beforeNote(events, before?.events, count),
          title: 'Without the EventTriggered that the SDK adds to each event of the app.',
        },
        {
          name: 'Stickiness',
          value: percent(stickiness),
          note: `30 days to ${until.replace(/ \d{4}$/, '')}`,
          title: `The mean number of ${units} active on a day, of all that are active in these 30 days.`,
        },
      ]}
    />
  );
}
