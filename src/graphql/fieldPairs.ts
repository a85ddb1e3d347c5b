// Counts the comparisons that validation makes of a document: pairs of fields with one response key, and of fragments.
import { Kind, type DocumentNode, type FieldNode, type FragmentDefinitionNode, type SelectionSetNode } from 'graphql';

/** Each pair takes the library some 5 µs, and its own bound lets 100,000 pass. */
export const mostPairs = 1_000;
/** A pair of fragments takes longer, because the library compares their fields by name. */
const pairOfFragments = 2;

/** The document has no fragment that spreads itself, and few selections. Counting stops soon after `mostPairs`. */
export function pairsOf({ definitions }: DocumentNode): number {
  const fragments = new Map(
    definitions.filter((node) => node.kind === Kind.FRAGMENT_DEFINITION).map((node) => [node.name.value, node]),
  );
  let pairs = 0;
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION && definition.kind !== Kind.FRAGMENT_DEFINITION) continue;
    pairs += pairsOfLevel([definition.selectionSet], fragments);
    if (pairs > mostPairs) break;
  }
  return pairs;
}

type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** All selections here are of one object of the response. */
function pairsOfLevel(sets: readonly SelectionSetNode[], fragments: Fragments): number {
  const { fields, spreads } = mergedLevel(sets, fragments);
  let pairs = pairOfFragments * pairsAmong(spreads);
  for (const same of fields.values()) {
    pairs += pairsAmong(same.length);
    const below = same.flatMap(({ selectionSet }) => selectionSet ?? []);
    if (pairs <= mostPairs && below.length > 0) pairs += pairsOfLevel(below, fragments);
  }
  return pairs;
}

const pairsAmong = (count: number): number => (count * (count - 1)) / 2;

interface Level {
  /** By the key in the response. */
  fields: Map<string, FieldNode[]>;
  spreads: number;
}

function mergedLevel(sets: readonly SelectionSetNode[], fragments: Fragments): Level {
  const level: Level = { fields: new Map(), spreads: 0 };
  const collect = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
      else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        level.spreads += 1;
        const fragment = fragments.get(selection.name.value);
        if (fragment) collect(fragment.selectionSet);
      } else {
        const key = (selection.alias ?? selection.name).value;
        const same = level.fields.get(key);
        if (same) same.push(selection);
        else level.fields.set(key, [selection]);
      }
    }
  };
  sets.forEach(collect);
  return level;
}
