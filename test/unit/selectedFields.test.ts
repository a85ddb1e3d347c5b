// The fields that a request selects, and the cost of finding them.
import {
  Kind,
  parse,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  type OperationDefinitionNode,
} from 'graphql';
import { selectedRootFields, selects } from '../../src/graphql/selectedFields.ts';

const rootFieldsOf = (document: DocumentNode) =>
  selectedRootFields(document, document.definitions[0] as OperationDefinitionNode);

/** Counts how often the fragment's selections are read. */
function countReads({ selectionSet }: FragmentDefinitionNode): () => number {
  const { selections } = selectionSet;
  let reads = 0;
  Object.defineProperty(selectionSet, 'selections', { get: () => ((reads += 1), selections) });
  return () => reads;
}

test('fields are found through fragments, inline ones and aliases, each once', () => {
  const document = parse(`{ ...A ... { other: id } id } fragment A on Query { me { name } ...B } 
    fragment B on Query { projects { id } }`);
  expect([...rootFieldsOf(document)].sort()).toEqual(['id', 'me', 'projects']);
});

test('fragments that double one another are each read once', () => {
  const chain = Array.from({ length: 12 }, (_, at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
  const document = parse(`{ ...F0 } ${chain.join(' ')} fragment F12 on Query { id }`);
  const fragments = document.definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION);
  const reads = fragments.map(countReads);
  expect([...rootFieldsOf(document)]).toEqual(['id']);
  expect(reads.map((count) => count())).toEqual(reads.map(() => 1));
});

/** The info that the resolver of the first root field receives. */
function infoOf(document: DocumentNode): GraphQLResolveInfo {
  const [operation, ...fragments] = document.definitions as [OperationDefinitionNode, ...FragmentDefinitionNode[]];
  return {
    fieldNodes: operation.selectionSet.selections as FieldNode[],
    fragments: Object.fromEntries(fragments.map((fragment) => [fragment.name.value, fragment])),
  } as unknown as GraphQLResolveInfo;
}

test.each([
  ['{ list { action { payload } } }', true],
  ['{ list { action { type } } }', false],
  ['{ list { action { type } other: action { p: payload } } }', true],
  ['{ list { ...A } } fragment A on C { action { ...B } } fragment B on D { ... on D { payload } }', true],
  ['{ list { payload other { payload } } }', false],
])('%s asks for action.payload: %s', (query, expected) => {
  expect(selects(infoOf(parse(query)), 'action.payload')).toBe(expected);
});
