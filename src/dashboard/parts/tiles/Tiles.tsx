// Figures of a whole range side by side: each with its name, the period before, and a link to what is behind it.
import type { ReactNode } from 'react';
import { PlaceLink, type Place } from '../PlaceLink.tsx';
import classes from './Tiles.module.css';

export interface TileFigure {
  name: string;
  value: string;
  /** What it is compared with, for example `+12 % from 900`. */
  note?: ReactNode;
  /** Explains the figure where its name does not. */
  title?: string;
  /** Opens what is behind it. */
  behind?: Place & { label: string };
}

export function Tiles({ figures }: { figures: readonly TileFigure[] }) {
  return (
    <dl className={classes.tiles}>
      {figures.map(({ name, value, note, title, behind }) => (
        <div key={name} className={classes.tile} title={title}>
          <dt>{name}</dt>
          <dd className={classes.value}>
            {behind ? (
              <PlaceLink to={behind.to} search={behind.search} label={`${value}: ${behind.label}`}>
                {value}
              </PlaceLink>
            ) : (
              value
            )}
          </dd>
          {note !== undefined && <dd className={classes.note}>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}
