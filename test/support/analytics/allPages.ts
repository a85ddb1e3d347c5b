// Reads a list to its end, page by page.
import { readCursor, type Cursor, type CursorShape, type PageOf } from '../../../src/analytics/pageCursor.ts';

/** No application that is drawn has as many of anything. */
const mostNodes = 1_000;

interface AskedPage {
  limit: number;
  after: Cursor | null;
}

/** The nodes of all pages. Each page but the last is full. */
export async function allPages<Node, Found extends PageOf<Node>>(
  { limit, shape }: { limit: number; shape: CursorShape },
  read: (page: AskedPage) => Promise<Found & PageOf<Node>>,
): Promise<{ nodes: Node[]; first: Found }> {
  let found = await read({ limit, after: null });
  const first = found;
  const nodes = [...found.nodes];
  while (found.hasMore) {
    expect(found.nodes).toHaveLength(limit);
    found = await read({ limit, after: readCursor(found.endCursor!, shape)! });
    nodes.push(...found.nodes);
    if (nodes.length > mostNodes) throw new Error('the pages do not end');
  }
  return { nodes, first };
}

/** An instant in microseconds as a response shows it: without what is below a millisecond. */
export const shown = (micros: number): number => Math.floor(micros / 1_000) * 1_000;
