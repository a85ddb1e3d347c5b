// Names and values of one object: the names in one column and the values in another, or all beside each other.
import type { ReactNode } from 'react';
import classes from './Facts.module.css';

export interface Fact {
  name: string;
  /** Null and undefined: nothing is known, shown as `—`. */
  value: ReactNode;
}

interface FactsProps {
  facts: readonly Fact[];
  /** Beside each other, for a few facts at the width of the page. */
  beside?: boolean;
}

export function Facts({ facts, beside = false }: FactsProps) {
  return (
    <dl className={beside ? classes.beside : classes.facts}>
      {facts.map(({ name, value }) => (
        <div key={name} className={beside ? undefined : classes.fact}>
          <dt>{name}</dt>
          <dd>{value ?? '—'}</dd>
        </div>
      ))}
    </dl>
  );
}
