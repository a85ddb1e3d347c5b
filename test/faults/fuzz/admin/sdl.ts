// Reads the parsed schema.graphql: root fields with their arguments, their least role and their error codes.
import {
  getNamedType,
  isObjectType,
  isRequiredArgument,
  type GraphQLArgument,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLOutputType,
  type GraphQLSchema,
} from 'graphql';
import { errorsOf } from '../../../support/rootFields.ts';
import { adminSchema } from '../../../support/adminSchema.ts';

export interface RootField {
  root: 'query' | 'mutation';
  name: string;
  isPublic: boolean;
  /** The field's own error codes. */
  errors: string[];
  args: readonly GraphQLArgument[];
  /** Selects every field of the response, three levels deep, with a variable for each argument. */
  document: string;
}

export interface Sdl {
  schema: GraphQLSchema;
  fields: RootField[];
  /** The HTTP statuses that each code may come with. */
  statuses: Map<string, number[]>;
}

export function readSdl(): Sdl {
  const schema = adminSchema();
  const codes = (schema.getType('ErrorCode') as GraphQLEnumType).getValues();
  const statuses = codes.map(({ name, description }): [string, number[]] => {
    return [
      name,
      [...(description ?? '').matchAll(/(?<![\d,])([245]\d\d)(?!\d|,\d)/g)].map(([status]) => Number(status)),
    ];
  });
  const rootsOf = (root: 'query' | 'mutation') => {
    const type = root === 'query' ? schema.getQueryType() : schema.getMutationType();
    return Object.values(type!.getFields()).map((field) => rootField(root, field));
  };
  return { schema, fields: [...rootsOf('query'), ...rootsOf('mutation')], statuses: new Map(statuses) };
}

function rootField(root: RootField['root'], field: GraphQLField<unknown, unknown>): RootField {
  const { name, description = '', args, type } = field;
  const access = /^Access: (.*)$/m.exec(description ?? '')?.[1];
  if (!access) throw new Error(`${name} does not say its access`);
  const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  const [open, close] = args.length > 0 ? ['(', ')'] : ['', ''];
  return {
    root,
    name,
    isPublic: access.startsWith('public'),
    errors: errorsOf(field),
    args,
    document: `${root} Fuzz${open}${declared}${close} { ${name}${open}${given}${close}${selection(type, 3)} }`,
  };
}

function selection(type: GraphQLOutputType, depth: number): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(
    (field) => !field.args.some(isRequiredArgument) && (depth > 0 || !isObjectType(getNamedType(field.type))),
  );
  return ` { ${fields.map((field) => field.name + selection(field.type, depth - 1)).join(' ')} }`;
}
