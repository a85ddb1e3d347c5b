// The first connection to a database that somebody named: what is wrong with the name, the host or the login is told by its variable.
import pg from 'pg';

/** Rejects with a message that begins with DATABASE_URL, which is configured by a person. */
export async function checkConnection(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // One that ends again at once: what counts is whether it began.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    // Several addresses of one host fail together, without a message of their own.
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(`DATABASE_URL: ${message || String(code)}`, { cause: error });
  } finally {
    await client.end();
  }
}
