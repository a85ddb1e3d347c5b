// What a request selects, by the letter: through fragments and aliases, and skipped fields too.
import {
  Kind,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

export function selectedRootFields({ definitions }: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fragments = definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  return fieldsOf([operation.selectionSet], fragments);
}

/** Directly below the field that is being resolved. */
export function selectedBelow({ fieldNodes, fragments }: GraphQLResolveInfo): Set<string> {
  return fieldsOf(
    fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    Object.values(fragments),
  );
}

function fieldsOf(selectionSets: SelectionSetNode[], definitions: FragmentDefinitionNode[]): Set<string> {
  const fragments = new Map(definitions.map(({ name, selectionSet }) => [name.value, selectionSet]));
  const fields = new Set<string>();
  // Each fragment once: spreading one twice selects nothing new.
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.add(selection.name.value);
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
