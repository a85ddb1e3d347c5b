// Challenges: what login gives an account without an active membership, for five minutes and one use (schema.graphql, "Challenges").
import { randomBytes } from 'node:crypto';
import type { AdminTransaction } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
import type { LiveCaller } from '../workspace/workspace.ts';
import { hashOfToken } from './mailedTokens.ts';
import { type AccountRecord, lockUser } from './usersStore.ts';

const lifetimeMillis = 5 * 60_000;

export async function openChallenge({ prisma }: AdminTransaction, userId: string, now: Date): Promise<string> {
  const challenge = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now.getTime() + lifetimeMillis);
  await prisma.loginChallenge.createMany({ data: { hash: hashOfToken(challenge), userId, expiresAt } });
  return challenge;
}

export interface JoiningNeeds {
  authenticate(): Promise<LiveCaller | null>;
  now(): Date;
}

/** The user who founds an organization or joins one. */
export interface JoiningUser extends AccountRecord {
  /** The session of the bearer, which bounds the life of the new one. */
  after: string | undefined;
}

/**
 * The bearer's user, or the one to whom login has given the challenge, which is then used up. Throws `forbidden` for a
 * service token, `invalid_token`.
 */
export async function lockJoiningUser(
  transaction: AdminTransaction,
  challenge: string | null | undefined,
  { authenticate, now }: JoiningNeeds,
): Promise<JoiningUser> {
  if (typeof challenge === 'string')
    return { ...(await useChallenge(transaction, challenge, now())), after: undefined };
  const caller = await authenticate();
  if (caller?.service) throw new AppError('forbidden', undefined);
  const user = caller && (await lockUser(transaction, caller.userId));
  if (!user) throw new AppError('invalid_token', undefined);
  return { ...user, after: caller.sessionId };
}

async function useChallenge(transaction: AdminTransaction, challenge: string, now: Date): Promise<AccountRecord> {
  const { loginChallenge } = transaction.prisma;
  const where = { hash: hashOfToken(challenge), expiresAt: { gt: now } };
  const found = await loginChallenge.findFirst({ where, select: { userId: true } });
  const user = found && (await lockUser(transaction, found.userId));
  // Under the lock: another request may have used it meanwhile.
  const used = user && (await loginChallenge.deleteMany({ where: { hash: where.hash } })).count === 1;
  if (!used) throw new AppError('invalid_token', undefined);
  return user;
}
