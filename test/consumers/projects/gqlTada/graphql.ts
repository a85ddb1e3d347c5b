// The function that types documents by schema.graphql, with its scalars in their JSON form.
import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './introspection.d.ts';

export const graphql = initGraphQLTada<{
  introspection: introspection;
  disableMasking: true;
  scalars: { UUID: string; DateTime: string; Date: string; JSON: unknown };
}>();
