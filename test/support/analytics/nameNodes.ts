// The names of properties that a read has found, next to those of a reference, which has all values in place of examples.
import type { PropertyNameFound } from '../../../src/analytics/reads/propertyValues.ts';
import type { PropertyNameAnswer } from './listReferences.ts';

interface Names {
  name: string;
  types: string[];
  values: number;
}

const mostExamples = 3;

export function namesOfReference(names: readonly PropertyNameAnswer[]): Names[] {
  return names.map(({ name, types, values }) => ({
    name,
    types: types.map((type) => type.toUpperCase()),
    values: Math.min(values.length, mostExamples),
  }));
}

/** The examples are different values of the reference, and as many as there may be. */
export function namesOfRead(found: readonly PropertyNameFound[], expected: readonly PropertyNameAnswer[]): Names[] {
  return found.map(({ name, types, examples }) => {
    const values = expected.find((each) => each.name === name)?.values ?? [];
    const right = new Set(examples.filter((example) => values.includes(example)));
    return { name, types, values: right.size === examples.length ? right.size : -1 };
  });
}
