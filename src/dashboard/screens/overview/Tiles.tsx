// The figures of the whole range, each with its change against the period before; units open what is behind them.
import { FigureButton } from '../../parts/behind/FigureButton.tsx';
import { change, count, duration, percent } from '../../parts/figures.ts';
import type { Activity } from './overview.ts';
import classes from './Tiles.module.css';

export type OpenFigure = 'ACTIVE' | 'NEW' | 'SESSIONS';

interface TilesProps {
  activity: Activity;
  unit: 'DEVICE' | 'USER';
  /** The last day of the range as people read it. */
  until: string;
  open: (figure: OpenFigure, title: string) => void;
}

export function Tiles({ activity: { totals, previous, stickiness }, unit, until, open }: TilesProps) {
  const units = unit === 'USER' ? 'users' : 'devices';
  const before = previous?.totals;
  const opened = (label: string, figure: OpenFigure, value: number, last?: number) => (
    <Tile label={label} note={<Change now={value} before={last} format={count} />}>
      <FigureButton label={`${count(value)}: ${label}`} open={() => open(figure, label)}>
        {count(value)}
      </FigureButton>
    </Tile>
  );
  const { medianSessionSeconds: median, events } = totals;
  return (
    <dl className={classes.tiles}>
      {opened(`Active ${units}`, 'ACTIVE', totals.active, before?.active)}
      {opened(`New ${units}`, 'NEW', totals.new, before?.new)}
      {opened('Sessions', 'SESSIONS', totals.sessions, before?.sessions)}
      <Tile
        label="Median session"
        note={<Change now={median} before={before?.medianSessionSeconds} format={duration} />}
      >
        {duration(median)}
      </Tile>
      <Tile label="Events" note={<Change now={events} before={before?.events} format={count} />}>
        {count(events)}
      </Tile>
      <Tile label="Stickiness" note={`mean daily of all active ${units}, 30 days to ${until}`}>
        {percent(stickiness)}
      </Tile>
    </dl>
  );
}

function Tile({ label, note, children }: { label: string; note: React.ReactNode; children: React.ReactNode }) {
  return (
    <div className={classes.tile}>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.value}>{children}</dd>
      <dd className={classes.note}>{note}</dd>
    </div>
  );
}

interface ChangeProps {
  now: number | null;
  before: number | null | undefined;
  format: (value: number) => string;
}

/** `+12.5 % from 1,024`: the value before is there, so that nobody has to trust a percentage of three devices. */
function Change({ now, before, format }: ChangeProps) {
  if (before === null || before === undefined) return 'nothing before';
  const text = now === null ? null : change(now, before);
  if (now === null || text === null) return `${format(before)} before`;
  const direction = now === before ? undefined : now > before ? classes.up : classes.down;
  return (
    <>
      <span className={direction}>{text}</span> from {format(before)}
    </>
  );
}
