// Decides which file of src/ may import which: each rule of the layers with its reason, as one function over two paths.

/** `feature` is every room without a layer of its own. */
type Layer =
  | ('entry' | 'composition' | 'development' | 'demo' | 'deps' | 'config')
  | ('edge' | 'feature' | 'platform' | 'generated' | 'dashboard');

export interface Import {
  /** Paths from the project's root: `src/http/responses.ts`, `generated/openapi.ts`. */
  from: string;
  to: string;
  /** `import type` and `import()` load nothing when the process starts. */
  deferred?: boolean;
}

const edges = ['http', 'graphql', 'ops'];
/** A feature imports another feature only where the domain requires it. */
const allowedPairs = [
  ...['accounts', 'analytics', 'campaigns', 'devices', 'purchases', 'webhooks'].map((room) => `${room} → workspace`),
  ...['sessions', 'analytics', 'attribution', 'purchases'].map((room) => `${room} → devices`),
  // A filter of a report is a condition of a campaign.
  'analytics → campaigns',
  'sessions → campaigns',
  'campaigns → countries',
  ...['campaigns', 'purchases'].map((room) => `${room} → webhooks`),
  // Unsigned requests are bounded.
  ...['sessions', 'attribution', 'purchases'].map((room) => `${room} → quotas`),
  'quotas → workspace',
];

/** The layers that each layer may import beside its own room. Any other import is refused with the layer's reason. */
const mayImport: Record<Exclude<Layer, 'generated'>, { layers: Layer[]; reason: string }> = {
  entry: {
    layers: ['composition', 'config', 'deps', 'edge', 'feature', 'platform'],
    reason: 'an entry starts a process; nothing imports it',
  },
  composition: {
    layers: ['composition', 'config', 'deps', 'edge', 'feature', 'platform'],
    reason: 'imports go one way: main → app → edges → features → platform',
  },
  development: {
    layers: ['feature', 'platform', 'generated'],
    reason: 'src/development stands beside the service and uses its features; it knows no protocol and no process',
  },
  demo: {
    layers: ['config', 'development', 'feature', 'platform', 'generated'],
    reason: 'the reference client knows the service by its contract',
  },
  deps: {
    layers: ['feature', 'platform', 'generated'],
    reason: 'deps.ts names what edges hand to operations, and nothing above it',
  },
  dashboard: {
    layers: ['generated'],
    reason:
      'the dashboard is a client of schema.graphql: it imports nothing of the service, as any other dashboard would',
  },
  config: { layers: ['config'], reason: 'config.ts is pure: everything it needs is the environment it is given' },
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

/** `src/programs` contains further entries; `src/compose` builds what entries start. */
const layerOfRoom: Record<string, Layer> = {
  programs: 'entry',
  compose: 'composition',
  development: 'development',
  demo: 'demo',
  dashboard: 'dashboard',
  platform: 'platform',
  generated: 'generated',
  ...Object.fromEntries(edges.map((edge) => [edge, 'edge'])),
};

const layerOfFile: Record<string, Layer> = {
  'src/main.ts': 'entry',
  'src/app.ts': 'composition',
  'src/deps.ts': 'deps',
  'src/config.ts': 'config',
};

/** The empty string for the files at the top of `src`. */
function roomOf(file: string): string {
  if (file.startsWith('generated/')) return 'generated';
  if (file.startsWith('test/tools/demo/')) return 'demo';
  const [, room, ...rest] = file.split('/');
  return rest.length > 0 ? room! : '';
}

function layerOf(file: string): Layer {
  const room = roomOf(file);
  return room === '' ? layerOfFile[file]! : (layerOfRoom[room] ?? 'feature');
}

/** The rule that an import breaks, with its reason, or null. */
export function brokenRule({ from, to, deferred = false }: Import): string | null {
  const rule =
    brokenGeneratedRule({ from, to }) ?? brokenDoorRule({ from, to }) ?? brokenLayerRule({ from, to, deferred });
  return rule === null ? null : `${from} imports ${to}: ${rule}`;
}

/** Rooms of which one file is the door. */
const doors: Record<string, { door: string; reason: string }> = {
  'src/http/onePass/': {
    door: 'src/http/onePass/onePass.ts',
    reason:
      'onePass.ts is the one door of onePass/: whatever reads JSON by hand can then be replaced by JSON.parse and Ajv',
  },
};

function brokenDoorRule({ from, to }: Import): string | null {
  for (const [room, { door, reason }] of Object.entries(doors)) {
    if (to.startsWith(room) && to !== door && !from.startsWith(room)) return reason;
  }
  return null;
}

function brokenLayerRule({ from, to, deferred }: Required<Import>): string | null {
  const [layer, target] = [layerOf(from), layerOf(to)];
  if (layer === 'generated') return null;
  if (roomOf(from) !== '' && roomOf(from) === roomOf(to)) return null;
  if (target === 'development' && (layer === 'entry' || layer === 'composition')) {
    return deferred ? null : 'production never loads src/development: it is reached by import() where it is needed';
  }
  if (layer === 'feature' && target === 'feature') return brokenPairRule({ from, to });
  if (target === 'dashboard') return 'the service serves the built page, and imports nothing of its source';
  return mayImport[layer].layers.includes(target) ? null : mayImport[layer].reason;
}

function brokenPairRule({ from, to }: Import): string | null {
  const pair = `${roomOf(from)} → ${roomOf(to)}`;
  // Every feature writes its changes to the audit log.
  if (roomOf(to) === 'audit') return null;
  if (roomOf(from) === 'jobs' || allowedPairs.includes(pair)) return null;
  return `feature to feature only where the domain says so (${allowedPairs.join(', ')}, jobs → any), not ${pair}`;
}

function brokenGeneratedRule({ from, to }: Import): string | null {
  if (layerOf(to) !== 'generated') return null;
  if ((layerOf(from) === 'dashboard') !== to.startsWith('generated/screens/')) return mayImport.dashboard.reason;
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
