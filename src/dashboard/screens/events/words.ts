// The measures of events in words.
import type { Measure } from './search.ts';

/** `units`: `devices` or `users`. */
export function measureWords(measure: Measure, units: string): string {
  const words: Record<Measure, string> = {
    COUNT: 'Number of events',
    UNIQUE: `${units === 'users' ? 'Users' : 'Devices'} with the event`,
    PER_UNIT: `Events per ${units === 'users' ? 'user' : 'device'} with one`,
    SUM: 'Sum of a property',
    AVERAGE: 'Average of a property',
    MEDIAN: 'Median of a property',
    P90: '90th percentile of a property',
  };
  return words[measure];
}

/** What the figures of a report are: `Sum of price`. */
export const figureWords = (measure: Measure, units: string, property: string): string =>
  measureWords(measure, units).replace('a property', property);
