// Lets the event loop serve other work while the objects of a long response are completed.
import type { ApolloServerPlugin } from '@apollo/server';
import {
  defaultFieldResolver,
  getNamedType,
  isLeafType,
  isListType,
  getNullableType,
  isObjectType,
  type GraphQLField,
  type GraphQLSchema,
} from 'graphql';
import type { AdminContext } from './context.ts';

type Pause = AdminContext['pause'];
type Field = GraphQLField<unknown, AdminContext>;

/** A list as short as this is completed in one piece. */
const few = 20;

/**
 * The library completes a list, and all that follows one response of the database, without a pause: 20,000 objects took
 * 200 ms. A list of promises it completes one by one as they resolve, so a pause fits before each of them.
 */
export function slicedLists(): ApolloServerPlugin<AdminContext> {
  return {
    serverWillStart: async ({ schema }) => {
      for (const field of fieldsOf(schema)) slice(field);
    },
  };
}

function fieldsOf(schema: GraphQLSchema): Field[] {
  const types = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && !type.name.startsWith('__'));
  const fields = types.flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : [])) as Field[];
  return fields.filter(({ type }) => !isLeafType(getNamedType(type)));
}

function slice(field: Field): void {
  const isList = isListType(getNullableType(field.type));
  const resolve = field.resolve ?? defaultFieldResolver;
  if (!isList && !field.resolve) return;
  field.resolve = (parent, args, ...[context, info]) => {
    const value: unknown = resolve(parent, args, context, info);
    const complete = (result: unknown) => (isList && Array.isArray(result) ? inSlices(result, context.pause) : result);
    if (!isThenable(value)) return complete(value);
    return value.then((result) => {
      const wait = context.pause();
      return wait ? wait.then(() => complete(result)) : complete(result);
    });
  };
}

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function';

function inSlices(list: readonly unknown[], pause: Pause): unknown {
  if (list.length <= few) {
    const wait = pause();
    return wait ? wait.then(() => list) : list;
  }
  const give: ((item: unknown) => void)[] = [];
  const items = list.map(() => new Promise((resolve) => give.push(resolve)));
  void giveAll(list, give, pause);
  return items;
}

async function giveAll(list: readonly unknown[], give: ((item: unknown) => void)[], pause: Pause): Promise<void> {
  for (const [index, item] of list.entries()) {
    const wait = pause();
    if (wait) await wait;
    give[index]!(item);
    // The library completes the item now.
    await Promise.resolve();
  }
}
