// A selection of events, its breakdown and their words: as the URL carries them and as the API takes them.
import { z } from 'zod';
import { filters, textOf, wordsOf } from './filters.ts';

/** Events of one name that fit the filters. */
export const selection = z.object({
  name: z.string().min(1).max(256),
  type: z.enum(['CUSTOM', 'SYSTEM']),
  filters: filters.optional().catch(undefined),
});
export type Selection = z.infer<typeof selection>;

export const breakdown = z.object({
  scope: z.enum(['EVENT', 'USER', 'DEVICE']),
  property: z.string().min(1).max(256),
});
export type Breakdown = z.infer<typeof breakdown>;

/** A row of an editor before its event is chosen. */
export const noEvent: Selection = { name: '', type: 'CUSTOM' };

/** The API refuses names of blanks alone. */
export const isNamed = ({ name }: { name: string }): boolean => name.trim() !== '';

export const selectionInput = ({ name, type, filters = [] }: Selection) => ({
  name,
  type,
  filters: filters.length > 0 ? filters : null,
});

export const selectionWords = ({ name, filters = [] }: Selection): string =>
  filters.length > 0 ? `${name} where ${filters.map(wordsOf).join(' and ')}` : name;

/** The value of a breakdown with its type: `"10"` in quotes is the text, `10` the number. */
export function breakdownWords(value: unknown, isOther: boolean): string {
  if (isOther) return 'all other values';
  if (value === null || value === undefined) return 'no value';
  return typeof value === 'object' ? JSON.stringify(value) : textOf(value as string | number | boolean);
}
