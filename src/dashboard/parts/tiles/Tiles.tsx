// Figures of a whole range side by side: each with its name, the period before, and a link to what is behind it.
import type { ReactNode } from 'react';
import { FigureButton } from '../behind/FigureButton.tsx';
import type { Place } from '../purchases/links.ts';
import { TextLink } from '../TextLink.tsx';
import classes from './Tiles.module.css';

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
