// Compares two versions of schema.graphql, with the additions that it announces: schema.graphql, "Conventions".
import { CriticalityLevel, diff } from '@graphql-inspector/core';
import { buildSchema } from 'graphql';
import type { Change } from './change.ts';

/** The inspector calls these additions dangerous too. The others, such as a changed default, count as breaking. */
const announced = ['ENUM_VALUE_ADDED', 'FIELD_ARGUMENT_ADDED', 'INPUT_FIELD_ADDED'];

/** `before` and `after` are texts in the schema definition language. */
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
