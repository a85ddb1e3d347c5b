// The figures of the whole range, each with the one of the period before. Units and sessions open their devices.
import { change, count, duration, percent } from '../../parts/figures.ts';
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
    note: noteOf(now, last, count),
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
          note: noteOf(median, before?.medianSessionSeconds, duration),
          title: 'Of two sessions one is shorter and one is longer. Sessions without an end are left out.',
        },
        {
          name: 'Events',
          value: count(events),
          note: noteOf(events, before?.events, count),
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

/** `+12.5 % from 1,024`: the figure before is there, so that nobody has to trust a percentage of three devices. */
function noteOf(now: number | null, before: number | null | undefined, format: (value: number) => string): string {
  if (before === null || before === undefined) return 'none before';
  if (now === before) return 'unchanged';
  const grown = now === null ? null : change(now, before);
  return grown === null ? `${format(before)} before` : `${grown} from ${format(before)}`;
}
