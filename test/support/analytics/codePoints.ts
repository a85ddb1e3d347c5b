// The order of texts by code points.

/** UTF-16, by which JavaScript compares, has another order beyond the first plane. UTF-8 has the order of code points. */
export function byCodePoints(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
