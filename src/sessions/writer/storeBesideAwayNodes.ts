// A decorator around the store of batches: on a cluster, uploads whose node is there are stored while another node is away.
import type { DeviceNodes } from '../../devices/deviceNodes.ts';
import type { Upload } from '../upload.ts';
import type { StoreBatch } from './groupCommit.ts';
import type { StoredBatch } from './storeUploads.ts';

export type NodesOfDevices = Pick<DeviceNodes, 'someAway' | 'onAwayNodes' | 'lookAfter'>;

/** An upload of a device whose node is away has the outcome `node_away`. Without such a node it sends no statement. */
export function storeBesideAwayNodes(store: StoreBatch, nodes: NodesOfDevices): StoreBatch {
  return async (uploads, options) => {
    if (nodes.someAway) {
      const away = await nodes.onAwayNodes(keysOf(uploads));
      if (away.size > 0) return storeOthers(uploads, away, (others) => store(others, options));
    }
    try {
      return await store(uploads, options);
    } catch (error) {
      // While the coordinator is away, the first error says what is the matter.
      const away = await nodes.lookAfter(error, keysOf(uploads)).catch(() => null);
      if (away === null || (away.size === 0 && !isLostConnection(error))) throw error;
      return storeOthers(uploads, away, (others) => store(others, { ...options, behind: false }));
    }
  };
}

async function storeOthers(
  uploads: Upload[],
  away: ReadonlySet<string>,
  store: (others: Upload[]) => Promise<StoredBatch>,
): Promise<StoredBatch> {
  const others = uploads.filter(({ device }) => !away.has(device.key));
  const stored = others.length > 0 ? await store(others) : { outcomes: [], eventsInserted: 0 };
  const outcomes = stored.outcomes.values();
  return {
    ...stored,
    outcomes: uploads.map(({ device }) => (away.has(device.key) ? 'node_away' : outcomes.next().value!)),
  };
}

const keysOf = (uploads: Upload[]): string[] => uploads.map(({ device }) => device.key);

/** A kept connection to a node that has been away and is there again. Another attempt takes a new one. */
function isLostConnection(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && (code === 'XX000' || code.startsWith('08'));
}
