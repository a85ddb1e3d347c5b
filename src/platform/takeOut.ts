// Takes one out of a list of what is under way, where things come and go thousands of times a second.

/**
 * Nothing happens where `item` is not in `list`; what came last is found first. A Set would be the obvious thing, but V8
 * makes the tables of one that has lived for a while in its old generation, and each table that it has outgrown keeps the
 * requests in it alive until that is collected: a tenth of an upload's processor time
 * (docs/decisions/upload-memory-tried.md).
 */
export function takeOut<Item>(list: Item[], item: Item): void {
  const position = list.lastIndexOf(item);
  if (position >= 0) list.splice(position, 1);
}
