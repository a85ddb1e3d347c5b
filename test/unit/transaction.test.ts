// The type of a transaction: a function that writes in one cannot be handed anything else.
import type { Pool, PoolClient } from 'pg';
import { audit, auditAlone } from '../../src/audit/audit.ts';
import type { AdminContext } from '../../src/graphql/context.ts';
import type { SqlConnection } from '../../src/platform/database/sqlClient.ts';
import { inTransaction, type PipelinedTransaction, type Transaction } from '../../src/platform/database/transaction.ts';
import type { LinedTransaction } from '../../src/platform/database/transactionLine.ts';

const actor = { organizationId: 'o', email: 'olga@example.com' };

test('the pool, a connection and what only looks like a transaction do not compile in its place', () => {
  expect([
    // @ts-expect-error -- the pool
    (pool: Pool) => audit(pool, actor),
    // @ts-expect-error -- a connection
    (client: PoolClient) => audit(client, actor),
    // @ts-expect-error -- whatever runs a statement
    (connection: SqlConnection) => audit(connection, actor),
    // @ts-expect-error -- made by hand
    ({ query }: SqlConnection) => audit({ query }, actor),
    (transaction: Transaction) => audit(transaction, actor),
    (pool: Pool) => inTransaction(pool, (transaction) => audit(transaction, actor)),
    (pool: Pool) =>
      inTransaction(pool, (transaction) => transaction.pipelinedToCommit((pipeline) => audit(pipeline, actor))),
    // @ts-expect-error -- in a line: no rollback where the next transaction may have been sent
    (transaction: LinedTransaction): Pick<PipelinedTransaction, 'rollBack'> => transaction,
  ]).toHaveLength(8);
});

test('an operation of the admin API that asks for the pool of uploads does not compile', () => {
  expect([
    // @ts-expect-error -- its own share alone
    (context: AdminContext): { pool: Pool } => context,
    (context: AdminContext): { adminPool: Pool } => context,
  ]).toHaveLength(2);
});

test('a function that reads, or writes one whole statement, takes each of them', () => {
  expect([
    (pool: Pool) => auditAlone(pool, actor),
    (client: PoolClient) => auditAlone(client, actor),
    (transaction: Transaction) => auditAlone(transaction, actor),
  ]).toHaveLength(3);
});
