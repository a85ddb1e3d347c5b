// Opens the first connection to the configured database, so that a wrong name, host or login is reported with its variable.
import pg from 'pg';

/** Rejects with a message that begins with DATABASE_URL. */
export async function checkConnection(url: string): Promise<void> {
  let client: pg.Client | undefined;
  try {
    // Reads the file that `sslrootcert` names.
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
    // The connection is closed at once: only its success matters.
    client.on('error', () => undefined);
    await client.connect();
  } catch (error) {
    // When all addresses of a host fail, the common error has no message.
    const { message, code } = error as NodeJS.ErrnoException;
    throw new Error(`DATABASE_URL: ${message || String(code)}`, { cause: error });
  } finally {
    await client?.end();
  }
}
