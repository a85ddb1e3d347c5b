// Builds the schema of schema.graphql once for the tests.
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLSchema } from 'graphql';
import { projectFile } from '../../src/platform/projectRoot.ts';

export function adminSchema(): GraphQLSchema {
  return buildSchema(readFileSync(projectFile('schema.graphql'), 'utf8'));
}
