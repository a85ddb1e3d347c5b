// Runs SQL inside an open transaction, whichever of the two libraries opened it.
import type { ClientBase } from 'pg';
import type { Prisma } from '../../../generated/prisma/client.ts';

/** A connection of `pg`, its pool, or what stands for a connection within a pipeline. */
export type SqlConnection = Pick<ClientBase, 'query'>;

/** The same, or what Prisma hands to the work of a transaction. */
export type SqlClient = SqlConnection | Prisma.TransactionClient;

export interface Statement {
  /** Under which `pg` keeps it prepared. */
  name: string;
  text: string;
  values: unknown[];
}

/** For statements whose rows nobody needs: answers how many there were, read or changed. */
export async function execute(client: SqlClient, { name, text, values }: Statement): Promise<number> {
  if ('$executeRawUnsafe' in client) return client.$executeRawUnsafe(text, ...values);
  const { rowCount } = await client.query({ name, text, values });
  return rowCount ?? 0;
}
