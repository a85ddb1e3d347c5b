// Removes an item from a list of running work that changes thousands of times a second.

/**
 * Does nothing when `item` is not in `list`. It finds the latest item first. A Set would be the obvious choice, but V8
 * makes the tables of an older Set in its old generation. Each table that the Set has outgrown keeps its requests alive
 * until V8 collects it: a tenth of an upload's processor time (docs/decisions/v8-settings.md).
 */
export function takeOut<Item>(list: Item[], item: Item): void {
  const position = list.lastIndexOf(item);
  if (position >= 0) list.splice(position, 1);
}
