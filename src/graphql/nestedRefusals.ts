// Keeps one FORBIDDEN of those below the root fields: a viewer's list of applications would have one for each `apiKeys`.
import type { ApolloServerPlugin } from '@apollo/server';
import type { GraphQLFormattedError } from 'graphql';

export function nestedRefusals(): ApolloServerPlugin {
  return {
    requestDidStart: async () => ({
      willSendResponse: async ({ response: { body } }) => {
        if (body.kind !== 'single' || !body.singleResult.errors?.some(isNestedRefusal)) return;
        const { data, errors } = body.singleResult;
        body.singleResult = { ...body.singleResult, errors: withOneRefusal(errors, data) };
      },
    }),
  };
}

function isNestedRefusal({ extensions, path = [] }: GraphQLFormattedError): boolean {
  return extensions?.['code'] === 'FORBIDDEN' && path.length > 1;
}

/** The first refusal in the response: the library notes errors in the order in which the statements end. */
function withOneRefusal(errors: readonly GraphQLFormattedError[], data: unknown): GraphQLFormattedError[] {
  const [first] = errors
    .filter(isNestedRefusal)
    .map((error) => ({ error, place: placeOf(error.path!, data) }))
    .sort((one, other) => compare(one.place, other.place));
  return errors.filter((error) => error === first!.error || !isNestedRefusal(error));
}

/** The path as positions: of an entry in its list, and of a field among those of its object. */
function placeOf(path: NonNullable<GraphQLFormattedError['path']>, data: unknown): number[] {
  let at = data;
  return path.map((segment) => {
    const parent = (at ?? {}) as Record<string | number, unknown>;
    at = parent[segment];
    return typeof segment === 'number' ? segment : Object.keys(parent).indexOf(segment);
  });
}

function compare(one: number[], other: number[]): number {
  const index = one.findIndex((position, at) => position !== other[at]);
  return index < 0 ? one.length - other.length : one[index]! - (other[index] ?? -1);
}
