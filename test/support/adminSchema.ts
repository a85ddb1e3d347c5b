// schema.graphql as the tests read it.
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { projectFile } from '../../src/platform/projectRoot.ts';

export function adminSchema(): GraphQLSchema {
  return buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'));
}
