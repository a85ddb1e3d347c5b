// Figures of a whole range side by side: each with its name, the period before, and a link to what is behind it.
import type { ReactNode } from 'react';
import classes from './Tiles.module.css';
import { change } from './figures.ts';
import { FigureButton, TextLink } from './links.tsx';
import type { Place } from './purchases.tsx';

export interface TileFigure {
  name: string;
  value: string;
  /** What it is compared with, for example `+12 % from 900`. */
  note?: ReactNode;
  /** Explains the figure where its name does not. */
  title?: string;
  /** Opens what is behind it: another screen, or a drawer above this one. */
  behind?: ({ place: Place } | { open: () => void }) & { label: string };
}

export function Tiles({ figures }: { figures: readonly TileFigure[] }) {
  return (
    <dl className={classes.tiles}>
      {figures.map(({ name, value, note, title, behind }) => (
        <div key={name} className={classes.tile} title={title}>
          <dt>{name}</dt>
          <dd className={classes.value}>
            <Value value={value} behind={behind} />
          </dd>
          {note !== undefined && <dd className={classes.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

function Value({ value, behind }: Pick<TileFigure, 'value' | 'behind'>) {
  if (!behind) return value;
  const label = `${value}: ${behind.label}`;
  if ('place' in behind) {
    return (
      <TextLink {...behind.place} inherit aria-label={label}>
        {value}
      </TextLink>
    );
  }
  return (
    <FigureButton label={label} open={behind.open}>
      {value}
    </FigureButton>
  );
}

// How the note of a tile compares its figure with the one before.

type Figure = number | null | undefined;

/**
 * `+12.5 % from 1,024`: the figure before is there, so that nobody has to trust a percentage of three devices. `0 before`
 * where there is no percentage of nothing.
 */
export function beforeNote(now: Figure, before: Figure, format: (before: number) => string): string {
  if (before === null || before === undefined) return 'none before';
  if (now === before) return 'unchanged';
  const grown = now === null || now === undefined ? null : change(now, before);
  return grown === null ? `${format(before)} before` : `${grown} from ${format(before)}`;
}
