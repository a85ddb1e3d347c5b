// The types of the admin API's operations, derived from the generated resolver types: the arguments and the result of each root field.
import type { Access } from './access.ts';
import type { AdminContext, CallerContext } from './context.ts';

type Resolver = (parent: never, args: never, ...rest: never[]) => unknown;

/** An operation is a resolver without its parent. A protected operation also gets the caller. */
export type Operation<Field, For extends Access> =
  NonNullable<Field> extends infer Function extends Resolver
    ? (
        args: Parameters<Function>[1],
        context: For extends 'public' ? AdminContext : CallerContext,
      ) => ReturnType<Function>
    : never;

/** One operation for every field of a root type. */
export type Operations<Root, Table extends Record<keyof Root, Access>> = {
  [Field in keyof Root]-?: Operation<Root[Field], Table[Field]>;
};
