// The root fields that an operation selects, by the letter: through fragments and aliases, and skipped ones too.
import { Kind, type DocumentNode, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

export function selectedRootFields(document: DocumentNode, operation: OperationDefinitionNode): Set<string> {
  const fragments = new Map(
    document.definitions.flatMap((node) =>
      node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node.selectionSet] as const] : [],
    ),
  );
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
  collect(operation.selectionSet);
  return fields;
}
