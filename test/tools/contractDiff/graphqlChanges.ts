// Compares two versions of schema.graphql. What may come is what the document announces: it says that values and arguments do.
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import type { Change } from './change.ts';

/** "Dangerous" otherwise, as a changed default is, which a client would not notice. */
const announced = ['ENUM_VALUE_ADDED', 'FIELD_ARGUMENT_ADDED', 'INPUT_FIELD_ADDED'];

/** Both are texts in the schema definition language. */
export async function graphqlChanges(before: string, after: string): Promise<Change[]> {
  const changes = await diff(buildSchema(before), buildSchema(after));
  const told = changes.filter(({ type }) => !String(type).includes('DESCRIPTION'));
  return told.map(({ type, path, message, criticality: { level } }) => ({
    at: path ?? 'schema',
    what: message,
    breaking:
      level === CriticalityLevel.Breaking ||
      (level === CriticalityLevel.Dangerous && !announced.includes(String(type))),
  }));
}
