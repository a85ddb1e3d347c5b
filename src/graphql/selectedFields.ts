// Which fields a request selects: also through fragments and aliases, and fields that `@skip` leaves out.
import {
  Kind,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

export function selectedRootFields({ definitions }: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return new Set(fieldsOf([operation.selectionSet], fragments).map(({ name }) => name.value));
}

/** Whether the request selects this path (`action.payload`) below the field that is being resolved. */
export function selects({ fieldNodes, fragments }: GraphQLResolveInfo, path: string): boolean {
  const definitions = Object.values(fragments);
  const last = path
    .split('.')
    .reduce<readonly FieldNode[]>(
      (parents, name) => fieldsOf(setsOf(parents), definitions).filter((field) => field.name.value === name),
      fieldNodes,
    );
  return last.length > 0;
}

const setsOf = (fields: readonly FieldNode[]): SelectionSetNode[] =>
  fields.flatMap(({ selectionSet }) => selectionSet ?? []);

function fieldsOf(selectionSets: SelectionSetNode[], definitions: FragmentDefinitionNode[]): FieldNode[] {
  const fragments = new Map(definitions.map(({ name, selectionSet }) => [name.value, selectionSet]));
  const fields: FieldNode[] = [];
  // Each fragment once: a second spread selects nothing new.
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else {
        const fragment = fragments.get(selection.name.value);
        fragments.delete(selection.name.value);
        if (fragment) collect(fragment);
      }
    }
  };
  selectionSets.forEach(collect);
  return fields;
}
