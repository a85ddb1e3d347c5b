// A selection of events, its breakdown and their words: as the URL carries them and as the API takes them.
import { z } from 'zod';
import type { FieldProblem } from '../api/apiError.ts';
import { filterOf, filters, isUntouched, textOf, wordsOf, type TypedFilter } from './filters.ts';

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

/** A selection while it is edited. */
export interface SelectionDraft extends Selection {
  /** Of its row, which keeps the focus and what is typed when it is moved. */
  key: number;
  /** The form of another filter, while it is open in the row. */
  open?: TypedFilter;
}

let rows = 0;

/** Without a selection: a row whose event is not chosen yet. */
export const draftOf = (selection: Selection = { name: '', type: 'CUSTOM' }): SelectionDraft => ({
  ...selection,
  key: (rows += 1),
});

export const selectionOf = ({ name, type, filters }: SelectionDraft): Selection => ({ name, type, filters });

/** Takes along the filter whose form is still open. Where it cannot be asked, the form stays and shows why. */
export function withOpenFilter(draft: SelectionDraft): SelectionDraft {
  const { open, filters = [], ...rest } = draft;
  if (open === undefined || isUntouched(open)) return draft;
  const filter = filterOf(open);
  return filter ? { ...rest, filters: [...filters, filter] } : { ...draft, open: { ...open, tried: true } };
}

/** Its event is chosen, and no form shows an error. */
export const isReady = ({ name, open }: SelectionDraft): boolean =>
  isNamed({ name }) && (open === undefined || isUntouched(open));

export const problemBelow = (problems: readonly FieldProblem[], path: string): string | undefined =>
  problems.find((problem) => problem.path.startsWith(path))?.message;

/** A breakdown whose property is not chosen is none. */
export const chosenBreakdown = (given: Breakdown | null): Breakdown | null =>
  given?.property.trim() === '' ? null : given;

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
