// Names and values of one object, below each other: the names in one column, the values in another.
import { Fragment, type ReactNode } from 'react';
import classes from './Facts.module.css';

export interface Fact {
  name: string;
  /** Null and undefined: nothing is known, shown as `—`. */
  value: ReactNode;
}

export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className={classes.facts}>
      {facts.map(({ name, value }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value ?? '—'}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
