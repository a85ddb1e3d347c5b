// Which file of src/ may import which: the rules of the house, each with its reason, as one function over two paths.

/** `feature` is any room that is none of the others. */
type Layer = 'entry' | 'composition' | 'demo' | 'deps' | 'config' | 'edge' | 'feature' | 'platform' | 'generated';

export interface Import {
  /** Paths from the project's root: `src/http/answers.ts`, `generated/openapi.ts`. */
  from: string;
  to: string;
}

const edges = ['http', 'graphql', 'ops'];
const entries = ['src/main.ts', 'src/migrate.ts', 'src/distribute.ts', 'src/rotateKeys.ts'];

/** Feature to feature only where the domain says so. */
const allowedPairs = [
  ...['accounts', 'campaigns', 'devices', 'purchases'].map((room) => `${room} → workspace`),
  ...['sessions', 'attribution', 'purchases'].map((room) => `${room} → devices`),
  'sessions → campaigns',
  'campaigns → countries',
];

/** What each layer may import beside its own room; what is missing here is refused with the layer's reason. */
const mayImport: Record<Exclude<Layer, 'generated'>, { layers: Layer[]; reason: string }> = {
  entry: {
    layers: ['composition', 'config', 'edge', 'feature', 'platform'],
    reason: 'an entry starts a process; nothing imports it, and the demo is a process of its own',
  },
  composition: {
    layers: ['composition', 'config', 'deps', 'edge', 'feature', 'platform'],
    reason: 'imports go one way: main → app → edges → features → platform',
  },
  demo: {
    layers: ['config', 'feature', 'platform', 'generated'],
    reason: 'the reference client knows the service by its contract; of the edges it shares only http/signature.ts',
  },
  deps: {
    layers: ['feature', 'platform', 'generated'],
    reason: 'deps.ts names what edges hand to operations, and nothing above it',
  },
  config: { layers: [], reason: 'config.ts is pure: everything it needs is the environment it is given' },
  edge: {
    layers: ['deps', 'feature', 'platform', 'generated'],
    reason: 'edges are called by app.ts, and know neither each other nor where their configuration comes from',
  },
  feature: {
    layers: ['platform', 'generated'],
    reason: 'a feature knows no protocol and no process: what it needs is passed to it as an argument',
  },
  platform: {
    layers: ['generated'],
    reason: 'platform imports no feature, so that each can be changed alone',
  },
};

function roomOf(file: string): string {
  const [top, room, ...rest] = file.split('/');
  return top === 'src' && rest.length > 0 ? room! : top === 'generated' ? 'generated' : '';
}

function layerOf(file: string): Layer {
  const room = roomOf(file);
  if (room === 'generated' || room === 'demo' || room === 'platform') return room;
  if (edges.includes(room)) return 'edge';
  if (room !== '') return 'feature';
  if (entries.includes(file)) return 'entry';
  if (file === 'src/deps.ts') return 'deps';
  return file === 'src/config.ts' ? 'config' : 'composition';
}

/** The rule that an import breaks, with its reason, or null. */
export function brokenRule({ from, to }: Import): string | null {
  const rule = brokenGeneratedRule({ from, to }) ?? brokenLayerRule({ from, to });
  return rule === null ? null : `${from} imports ${to}: ${rule}`;
}

function brokenLayerRule({ from, to }: Import): string | null {
  const [layer, target] = [layerOf(from), layerOf(to)];
  if (layer === 'generated') return null;
  if (roomOf(from) !== '' && roomOf(from) === roomOf(to)) return null;
  const signature = to === 'src/http/signature.ts' && (layer === 'demo' || from === 'src/welcome.ts');
  if (signature) return null;
  if (layer === 'feature' && target === 'feature') return brokenPairRule({ from, to });
  return mayImport[layer].layers.includes(target) ? null : mayImport[layer].reason;
}

function brokenPairRule({ from, to }: Import): string | null {
  const pair = `${roomOf(from)} → ${roomOf(to)}`;
  // Every feature writes down what it changes.
  if (roomOf(to) === 'audit') return null;
  if (roomOf(from) === 'jobs' || allowedPairs.includes(pair)) return null;
  return `feature to feature only where the domain says so (${allowedPairs.join(', ')}, jobs → any), not ${pair}`;
}

function brokenGeneratedRule({ from, to }: Import): string | null {
  if (layerOf(to) !== 'generated') return null;
  const prisma = to.startsWith('generated/prisma/');
  if (from.endsWith('Store.ts') && !prisma) {
    return 'contract types stop at the operation, so that the wire can change without the SQL noticing, and the reverse';
  }
  if (layerOf(from) === 'platform' && !prisma) return mayImport.platform.reason;
  if (layerOf(from) === 'edge' && prisma) return 'an edge holds no SQL: the database is read and written by features';
  if (roomOf(from) === 'http' && to === 'generated/graphql.ts') return 'each edge knows its own contract only';
  if (roomOf(from) === 'graphql' && to === 'generated/openapi.ts') return 'each edge knows its own contract only';
  return null;
}
