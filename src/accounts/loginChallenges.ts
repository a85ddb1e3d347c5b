// Challenges: what login gives an account without an active membership, for five minutes and one use (schema.graphql, "Challenges").
import { createHash, randomBytes } from 'node:crypto';
import { deleteInBatches, prepared, sql, type SqlConnection } from '../platform/database/sql.ts';
import type { Transaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import { type AccountRecord, lockUser } from './usersStore.ts';

const lifetimeMillis = 5 * 60_000;

/** Stored only as a hash, because a hash of 256 random bits opens nothing. */
const hashOf = (challenge: string): Buffer => createHash('sha256').update(challenge).digest();

export async function openChallenge(transaction: Transaction, userId: string, now: Date): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now.getTime() + lifetimeMillis);
  await insertChallenge(transaction, { hash: hashOf(challenge), userId, expiresAt });
  return challenge;
}

/** The user of a live challenge. */
export function userOfChallenge(transaction: Transaction, challenge: string, now: Date): Promise<string | null> {
  return findChallengeUser(transaction, { hash: hashOf(challenge), now });
}

/** False when another request has used the challenge. The caller has locked the user. */
export function useChallenge(transaction: Transaction, challenge: string): Promise<boolean> {
  return deleteChallenge(transaction, hashOf(challenge));
}

// The user who founds an organization or joins one: the bearer's, or the one to whom login has given a challenge.

export interface EntrantNeeds {
  authenticate(): Promise<LiveCaller | null>;
  now(): Date;
}

export interface Entrant extends AccountRecord {
  /** The session of the bearer, which bounds the life of the new one. */
  after: string | undefined;
}

/** Uses the challenge up, where there is one. Throws `forbidden` for a service token, `invalid_token`. */
export async function lockEntrant(
  transaction: Transaction,
  challenge: string | null | undefined,
  { authenticate, now }: EntrantNeeds,
): Promise<Entrant> {
  const caller = typeof challenge === 'string' ? null : await authenticate();
  if (caller?.service) throw new AppError('forbidden', undefined);
  const userId = typeof challenge === 'string' ? await userOfChallenge(transaction, challenge, now()) : caller?.userId;
  const user = userId ? await lockUser(transaction, userId) : null;
  const used = typeof challenge !== 'string' || (user !== null && (await useChallenge(transaction, challenge)));
  if (!user || !used) throw new AppError('invalid_token', undefined);
  return { ...user, after: caller?.sessionId };
}

// The SQL of login challenges.

export async function insertChallenge(
  transaction: Transaction,
  { hash, userId, expiresAt }: { hash: Buffer; userId: string; expiresAt: Date },
): Promise<void> {
  await transaction.query(prepared('insert_challenge')`/* accounts: insertChallenge */
    INSERT INTO login_challenges (hash, user_id, expires_at) VALUES (${hash}, ${userId}, ${expiresAt})`);
}

export async function findChallengeUser(
  connection: SqlConnection,
  { hash, now }: { hash: Buffer; now: Date },
): Promise<string | null> {
  const statement = prepared('find_challenge_user')`/* accounts: findChallengeUser */
    SELECT user_id AS "userId" FROM login_challenges WHERE hash = ${hash} AND expires_at > ${now}`;
  const { rows } = await connection.query<{ userId: string }>(statement);
  return rows[0]?.userId ?? null;
}

export async function deleteChallenge(transaction: Transaction, hash: Buffer): Promise<boolean> {
  const { rowCount } = await transaction.query(prepared('delete_challenge')`/* accounts: deleteChallenge */
    DELETE FROM login_challenges WHERE hash = ${hash}`);
  return rowCount === 1;
}

export function deleteExpiredLoginChallenges(connection: SqlConnection, batchSize = 10_000): Promise<number> {
  return deleteInBatches(
    connection,
    (size) => sql`/* accounts: deleteExpiredLoginChallenges */
      DELETE FROM login_challenges WHERE hash IN (
        SELECT hash FROM login_challenges WHERE expires_at < now()
        ORDER BY expires_at LIMIT ${size} FOR UPDATE SKIP LOCKED)`,
    batchSize,
  );
}
