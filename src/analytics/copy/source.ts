// A connection of the copy to PostgreSQL: beside the pool, so that uploads never wait for it.
import pg from 'pg';
import { socketOf } from '../../platform/database/socketOf.ts';

const [lockMillis, idleMillis] = [10_000, 60_000];

/** Of a connection. `undefined` takes out what the pool has. */
const settings = {
  statement_timeout: undefined,
  query_timeout: undefined,
  lock_timeout: lockMillis,
  idle_in_transaction_session_timeout: idleMillis,
};

/**
 * A statement that reads a week of events takes as long as it takes; a pause of the server does not. In the transaction,
 * because the role may have limits, and because a pooler may stand between.
 */
export const beginReading = `BEGIN READ ONLY; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = ${lockMillis};
  SET LOCAL idle_in_transaction_session_timeout = ${idleMillis}`;

/** The work gets a connection that is cut when the work ends or the signal aborts, whatever it is doing. */
export async function withSource(
  connection: pg.ClientConfig,
  signal: AbortSignal,
  work: (client: pg.Client) => Promise<void>,
  name: 'copy' | 'proof' = 'copy',
): Promise<void> {
  const application_name = `campaign-analytics-backend: ${name}`;
  const client = new pg.Client({
    ...connection,
    application_name,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    ...settings,
  });
  // A lost connection also fails the statement that is under way; without a listener it would end the process.
  client.on('error', () => undefined);
  const cut = (): void => void socketOf(client).destroy();
  signal.addEventListener('abort', cut);
  try {
    await client.connect();
    await work(client);
  } finally {
    signal.removeEventListener('abort', cut);
    cut();
  }
}
