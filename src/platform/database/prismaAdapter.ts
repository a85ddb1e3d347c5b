// Prisma's adapter for the pool: it joins open transactions, and its times are right in every time zone of the server.
import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import type { SqlConnection } from './sql.ts';

type Adapter = Awaited<ReturnType<PrismaPg['connect']>>;
type JoinedTransaction = Awaited<ReturnType<Adapter['startTransaction']>>;
type Query = Parameters<Adapter['queryRaw']>[0];

export class PrismaAdapter extends PrismaPg {
  /** Prisma gives an adapter nothing by which it could know the call of `$transaction` that a transaction belongs to. */
  readonly #toJoin = new AsyncLocalStorage<{ connection: SqlConnection | null }>();

  constructor(pool: SqlConnection) {
    super(poolOver(pool));
  }

  /** The first transaction that `open` starts sends its statements to `connection`, without BEGIN, COMMIT and ROLLBACK. */
  joining<Result>(connection: SqlConnection, open: () => Promise<Result>): Promise<Result> {
    return this.#toJoin.run({ connection }, open);
  }

  override async connect(): Promise<Adapter> {
    const startTransaction = async (): Promise<JoinedTransaction> => {
      const toJoin = this.#toJoin.getStore();
      if (!toJoin?.connection) throw new Error('Prisma would open a transaction of its own: use inTransaction');
      const { connection } = toJoin;
      // Code inside the transaction that uses the ordinary client does not join it by accident.
      toJoin.connection = null;
      return joined(connection);
    };
    return Object.assign(withZones(await super.connect()), { startTransaction });
  }
}

async function joined(connection: SqlConnection): Promise<JoinedTransaction> {
  const statements = withZones(await new PrismaPg(poolOver(connection)).connect());
  const done = (): Promise<void> => Promise.resolve();
  return Object.assign(statements, { options: { usePhantomQuery: true }, commit: done, rollback: done });
}

/** `PrismaPg` knows a pool by its prototype. It uses nothing but `query`, and listens to errors, which have a listener already. */
function poolOver(connection: SqlConnection): pg.Pool {
  const query = (statement: pg.QueryConfig): Promise<unknown> => {
    const types = statement.types && { getTypeParser: parsersWithZone(statement.types) };
    return connection.query({ ...statement, types } as pg.QueryConfig);
  };
  const nothing = { value: () => undefined };
  return Object.create(pg.Pool.prototype, {
    query: { value: query },
    on: nothing,
    removeListener: nothing,
  }) as pg.Pool;
}

/**
 * Prisma's adapter sends times without their zone, and PostgreSQL reads them in the session's time zone, which an operator
 * may set for the server, the database or the role.
 */
function withZones(adapter: Adapter): Adapter {
  const queryRaw = adapter.queryRaw.bind(adapter);
  const executeRaw = adapter.executeRaw.bind(adapter);
  return Object.assign(adapter, {
    queryRaw: (query: Query) => queryRaw(timesWithZone(query)),
    executeRaw: (query: Query) => executeRaw(timesWithZone(query)),
  });
}

const isTime = ({ scalarType, dbType }: Query['argTypes'][number]): boolean =>
  scalarType === 'datetime' && (dbType === undefined || dbType.startsWith('TIMESTAMP'));

/** As texts, which the adapter sends as they are. */
function timesWithZone(query: Query): Query {
  if (!query.argTypes.some(isTime)) return query;
  const args = query.args.map((arg, at) => (isTime(query.argTypes[at]!) ? timeText(arg) : arg));
  const argTypes = query.argTypes.map((type) => (isTime(type) ? { ...type, scalarType: 'string' as const } : type));
  return { ...query, args, argTypes };
}

function timeText(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(timeText);
  return value instanceof Date || typeof value === 'string' ? new Date(value).toISOString() : value;
}

const timestamptz = 1184;
const timestamptzArray = 1185;
type ParserOf = (oid: number, format: string) => (text: string) => unknown;

/** Prisma's adapter takes every time that it reads for one in UTC. */
function parsersWithZone(parsers: pg.CustomTypesConfig): pg.CustomTypesConfig['getTypeParser'] {
  const parserOf = parsers.getTypeParser as ParserOf;
  const zoned: ParserOf = (oid, format) => {
    if (format !== 'text' || (oid !== timestamptz && oid !== timestamptzArray)) return parserOf(oid, format);
    const parse = (pg.types.getTypeParser as ParserOf)(oid, format);
    return (text) => timeText(parse(text));
  };
  return zoned as pg.CustomTypesConfig['getTypeParser'];
}
