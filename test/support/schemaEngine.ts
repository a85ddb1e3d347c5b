// Prisma's schema engine over one PostgreSQL session: the WebAssembly build, because the command line downloads a binary.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

export type SchemaEngine = engineModule.SchemaEngine;

/** The one-byte type `"char"` of PostgreSQL's catalogs. The adapter refuses it and knows `bpchar`. */
const catalogChar = 18;
const paddedText = 1042;

export interface EngineSession {
  engine: SchemaEngine;
  /** Runs on the engine's own session: settings and locks made here hold for the engine. */
  query(sql: string): Promise<unknown>;
}

export async function withEngine<T>(url: string, work: (session: EngineSession) => Promise<T>): Promise<T> {
  await loadEngine();
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    const client = await pool.connect();
    try {
      const factory = engineAdapter(pool, client);
      const engine = await engineModule.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
      return await work({ engine, query: (sql) => client.query(sql) });
    } finally {
      // The connection is closed and not kept: its locks and settings end with it.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

/** Prisma's adapter with the repairs that its schema engine needs. */
function engineAdapter(pool: pg.Pool, client: pg.PoolClient): object {
  const connect = async (): Promise<SqlDriverAdapter> => {
    const adapter = await new PrismaPg(pool).connect();
    // The original cuts at every semicolon, also inside $$ bodies, strings and comments.
    adapter.executeScript = async (script) => {
      await client.query(script);
    };
    stayOnClient(pool, client, adapter);
    return adapter;
  };
  const connectToShadowDb = (): Promise<SqlDriverAdapter> =>
    Promise.reject(new Error('no shadow database is used here'));
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect,
    connectToShadowDb,
  };
  return bindMigrationAwareSqlAdapterFactory(factory);
}

/**
 * Sends the adapter's queries over one client. A pool would drop its connection after each failed query, and with it
 * the engine's lock: the engine queries tables that may be missing. The engine needs the catalogs' `"char"` columns as
 * characters.
 */
function stayOnClient(pool: pg.Pool, client: pg.PoolClient, adapter: SqlDriverAdapter): void {
  let positions: number[] = [];
  const query = async (config: pg.QueryArrayConfig): Promise<pg.QueryArrayResult> => {
    const result = await client.query(config);
    const chars = [...result.fields.entries()].filter(([, field]) => field.dataTypeID === catalogChar);
    positions = chars.map(([position]) => position);
    for (const [, field] of chars) field.dataTypeID = paddedText;
    return result;
  };
  pool.query = query as typeof pool.query;
  const queryRaw = adapter.queryRaw.bind(adapter);
  adapter.queryRaw = async (sql) => {
    const result = await queryRaw(sql);
    for (const position of positions) result.columnTypes[position] = ColumnTypeEnum.Character;
    return result;
  };
}

/** TypeScript declares it among the DOM's types only, which this project leaves out. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<void> | null = null;

function loadEngine(): Promise<void> {
  return (loading ??= instantiate());
}

/** The package's own entry file imports a .wasm file, which Node cannot. */
async function instantiate(): Promise<void> {
  const glue = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const binary = await readFile(glue.replace(/\.js$/, '.wasm'));
  // A panic of the engine calls this. Without it the panic is a TypeError that explains nothing.
  Object.assign(globalThis, {
    PRISMA_WASM_PANIC_REGISTRY: {
      set_message(message: string) {
        throw new Error(`Prisma's schema engine failed: ${message}`);
      },
    },
  });
  const imports = { './schema_engine_bg.js': Object.fromEntries(Object.entries(engineModule).map(withoutWaiting)) };
  const { instance } = await WebAssembly.instantiate(binary, imports);
  engineModule.__wbg_set_wasm(instance.exports);
  (instance.exports['__wbindgen_start'] as () => void)();
}

/** The engine leaves the timer of its ten-second wait for a lock running. The process would not end before this timer. */
function withoutWaiting([name, value]: [string, unknown]): [string, unknown] {
  if (!name.startsWith('__wbg_setTimeout_')) return [name, value];
  return [name, (callback: () => void, delayMs: number) => setTimeout(callback, delayMs).unref()];
}
