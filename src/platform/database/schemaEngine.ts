// Prisma's schema engine (the WebAssembly build, which needs no download) over one PostgreSQL session.
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

/** PostgreSQL's one-byte type `"char"` in its catalogs; the adapter refuses it, and knows `bpchar`. */
const catalogChar = 18;
const paddedText = 1042;

export interface EngineSession {
  engine: SchemaEngine;
  /** On the session that the engine uses too: what is set, locked or begun here holds for the engine. */
  query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]>;
  /** What PostgreSQL said to a script that has failed since the last call, or null; the engine keeps the message only. */
  takeScriptFailure(): unknown;
}

/** With `query_timeout`, in milliseconds, a database that has gone silent is not waited for. */
export async function withEngine<T>(
  connection: Pick<pg.ClientConfig, 'connectionString' | 'query_timeout'>,
  work: (session: EngineSession) => Promise<T>,
): Promise<T> {
  await loadEngine();
  const pool = new pg.Pool({ ...connection, max: 1, connectionTimeoutMillis: 10_000 });
  pool.on('error', () => undefined);
  try {
    const client = await pool.connect();
    client.on('error', () => undefined);
    try {
      let failure: unknown = null;
      const factory = engineAdapter(pool, client, (error) => (failure = error));
      const engine = await engineModule.SchemaEngine.new({ datamodels: undefined }, () => undefined, factory);
      const query = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
        (await client.query<Row>(sql)).rows;
      const takeScriptFailure = (): unknown => {
        const taken = failure;
        failure = null;
        return taken;
      };
      return await work({ engine, query, takeScriptFailure });
    } catch (error) {
      // The engine's errors end with a trace of its own code, which says nothing to whoever reads the message.
      if (error instanceof Error) error.message = error.message.replace(/\n\s+0: [\s\S]*/, '');
      throw error;
    } finally {
      // Closed, not kept: its locks and settings end with it.
      client.release(true);
    }
  } finally {
    await pool.end();
  }
}

/** Prisma's adapter with the repairs that its schema engine needs. */
function engineAdapter(pool: pg.Pool, client: pg.PoolClient, onScriptFailure: (error: unknown) => void): object {
  const connect = async (): Promise<SqlDriverAdapter> => {
    const adapter = await new PrismaPg(pool).connect();
    // The original cuts at every semicolon, also inside $$ bodies, strings and comments.
    adapter.executeScript = async (script) => {
      try {
        await client.query(script);
      } catch (error) {
        onScriptFailure(error);
        throw error;
      }
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
 * our lock and transaction, and the engine does ask for tables that may be missing. Reading a schema selects `"char"`
 * columns: the engine wants them as characters, and the adapter refuses their type.
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

/** In the DOM's types only, which this project leaves out. */
declare const WebAssembly: {
  instantiate(binary: Uint8Array, imports: object): Promise<{ instance: { exports: Record<string, unknown> } }>;
};

let loading: Promise<void> | null = null;

function loadEngine(): Promise<void> {
  return (loading ??= instantiate());
}

/** Node cannot import a .wasm file by itself, so the package's own entry file does not work here. */
async function instantiate(): Promise<void> {
  const glue = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg');
  const binary = await readFile(glue.replace(/\.js$/, '.wasm'));
  // A panic of the engine looks for this, and is an unexplained TypeError without it.
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

/** The engine leaves the timer of its ten-second wait for a lock running, which would hold back the process's end. */
function withoutWaiting([name, value]: [string, unknown]): [string, unknown] {
  if (!name.startsWith('__wbg_setTimeout_')) return [name, value];
  return [name, (callback: () => void, delayMs: number) => setTimeout(callback, delayMs).unref()];
}
