// Figures by their names, as the devices count them or as the service says them, and the comparison of the two (pure).

export type Value = number | string | null;

export interface Figure {
  /** What the table shows: the value of the whole range. */
  total: Value;
  /** The values of the points, compared and not printed. */
  points: Value[];
}

export type Figures = Map<string, Figure>;

export interface AnswerRow {
  name: string;
  counted: Value;
  said: Value;
  agrees: boolean;
}

export interface AnswersComparison {
  rows: AnswerRow[];
  problems: string[];
}

export function compareFigures(counted: Figures, said: Figures): AnswersComparison {
  const rows: AnswerRow[] = [];
  const problems: string[] = [];
  for (const name of new Set([...counted.keys(), ...said.keys()])) {
    const [ours, theirs] = [counted.get(name), said.get(name)];
    const problem = differenceOf(ours, theirs);
    if (problem !== null) problems.push(`${name}: ${problem}`);
    rows.push({ name, counted: ours?.total ?? null, said: theirs?.total ?? null, agrees: problem === null });
  }
  return { rows, problems };
}

/** Null where both are the same. */
function differenceOf(counted: Figure | undefined, said: Figure | undefined): string | null {
  if (!counted || !said) return counted ? 'the service does not say it' : 'only the service says it';
  if (!isSame(counted.total, said.total))
    return `the devices counted ${shown(counted.total)}, the service says ${shown(said.total)}`;
  if (counted.points.length !== said.points.length)
    return `the devices counted ${counted.points.length} points, the service says ${said.points.length}`;
  const place = counted.points.findIndex((value, index) => !isSame(value, said.points[index]!));
  if (place === -1) return null;
  const [ours, theirs] = [counted.points[place]!, said.points[place]!];
  return `at point ${place} the devices counted ${shown(ours)}, the service says ${shown(theirs)}`;
}

/** A mean of two medians may differ in its last digit. */
function isSame(one: Value, other: Value): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return one === other;
  return Math.abs(one - other) < 1e-6;
}

export function shown(value: Value): string {
  if (typeof value !== 'number') return value ?? '–';
  return Number.isInteger(value) ? String(value) : value.toFixed(3);
}
