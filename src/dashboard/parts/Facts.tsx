// What is known of one thing: names and values below each other.
import type { ReactNode } from 'react';
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
        <div key={name} className={classes.fact}>
          <dt>{name}</dt>
          <dd>{value ?? '—'}</dd>
        </div>
      ))}
    </dl>
  );
}
