// The SQL that reads secrets of API keys: only for a response that has them.
import { prepared } from '../platform/database/sql.ts';
import type { SqlConnection } from '../platform/database/sqlClient.ts';

/** Encrypted, by the ids of their keys. Empty for a key that is revoked. */
export async function findSealedSecrets(
  connection: SqlConnection,
  ids: readonly string[],
): Promise<Map<string, Buffer>> {
  const statement = prepared('find_sealed_secrets')`/* workspace: findSealedSecrets */
    SELECT id, secret_encrypted AS sealed FROM api_keys WHERE id = ANY(${[...ids]}::uuid[])`;
  const { rows } = await connection.query<{ id: string; sealed: Buffer }>(statement);
  return new Map(rows.map(({ id, sealed }) => [id, sealed]));
}
