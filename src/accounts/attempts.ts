// Limits the attempts at the authentication mutations and at invitations, by network and by account (schema.graphql, "Attempts").
import type { Pool } from 'pg';
import { AppError } from '../platform/errors.ts';
import {
  addressKey,
  isByEmail,
  keysOf,
  mailboxKey,
  notedKey,
  organizationKey,
  ownKey,
  sharedKey,
  type Attempt,
  type Place,
} from './attemptKeys.ts';
import {
  countAttempt,
  deleteAttempts,
  findFullWindow,
  isNotedNetwork,
  noteNetwork,
  uncountAttempt,
} from './attemptsStore.ts';

export interface AttemptLimits {
  perAccount: number;
  perAddress: number;
  windowSeconds: number;
  /** Mails of `resetPassword` to one mailbox in a window. Default: 2. */
  perMailbox?: number;
  /** Invitations of one organization in an hour. Default: 100. */
  perOrganization?: number;
  /** Bytes that an account makes the service store in a day. Default: 256 MiB. */
  storedPerAccount?: number;
  /** The same for all accounts at one network address together. Default: 1 GiB. */
  storedPerAddress?: number;
}

export type { Attempt } from './attemptKeys.ts';

export interface CountedAttempt {
  /** Takes the attempt back: what succeeds counts against nobody. The account's earlier attempts end with it. */
  succeeded(): Promise<void>;
}

export interface Attempts {
  /** Counts an attempt before it is made, so that many at once are limited too. Throws `rate_limited`. */
  (attempt: Attempt): Promise<CountedAttempt>;
  /**
   * Only looks, and counts the attempt when it has failed: for tokens, which nobody guesses. Of a hundred colleagues who
   * refresh in one instant, none is refused. Throws `rate_limited`.
   */
  check(attempt: Attempt): Promise<{ failed(): Promise<void> }>;
  /** Counts bytes before they are stored. Refused ones do not count. Throws `rate_limited`, except for what `neverRefuses`. */
  storing(
    place: Place,
    bytes: number,
    options?: { neverRefuses?: boolean },
  ): Promise<{ storedMore(bytes: number): Promise<void> }>;
  /** Whether the mailbox gets a further mail. Throws `rate_limited` for the network address alone. */
  mayMail(attempt: Attempt): Promise<boolean>;
  /** Counts one invitation of the organization. Throws `rate_limited`. */
  invitation(organizationId: string): Promise<void>;
  /** Somebody has proved the mailbox or the password: the attempts at the account end. */
  clear(place: Place): Promise<void>;
  /** The account has logged in, or its mailbox is proved: the network has attempts of its own from now on, for 30 days. */
  noteLogin(place: Place): Promise<void>;
}

export const defaultAttemptLimits: AttemptLimits = { perAccount: 10, perAddress: 100, windowSeconds: 15 * 60 };

const invitationSeconds = 60 * 60;
const storingSeconds = 24 * 60 * 60;
const mebibyte = 1_048_576;
/** The table counts in a column of 31 bits. */
const storedUnit = 1_024;
const noteLastsMillis = 30 * 24 * 60 * 60_000;

interface Needs {
  adminPool: Pool;
  now(): Date;
}

export function createAttempts(needs: Needs, limits: AttemptLimits): Attempts {
  const count = counter(needs, limits.windowSeconds);
  /** The network address counts first: over its limit it can no longer use up the attempts of an account. */
  async function begin(attempt: Attempt): Promise<CountedAttempt> {
    assertWithin(await count(addressKey(attempt), limits.perAddress));
    const key = await accountKey(attempt, needs);
    assertWithin(await count(key, limits.perAccount));
    return {
      async succeeded() {
        await uncountAttempt(needs.adminPool, { key: addressKey(attempt), now: needs.now() });
        await deleteAttempts(needs.adminPool, [key]);
      },
    };
  }
  const look = looker(needs, limits);
  async function check(attempt: Attempt): Promise<{ failed(): Promise<void> }> {
    await look(attempt);
    return {
      async failed() {
        await count(addressKey(attempt), limits.perAddress);
        await count(sharedKey(attempt), limits.perAccount);
      },
    };
  }
  return Object.assign(begin, {
    check,
    storing: boundStoring(needs, limits),
    ...boundMails(needs, limits),
    clear: (place: Place) => deleteAttempts(needs.adminPool, keysOf(place)),
    noteLogin(place: Place) {
      const expiresAt = new Date(needs.now().getTime() + noteLastsMillis);
      return noteNetwork(needs.adminPool, { key: notedKey(place), expiresAt });
    },
  });
}

/** Throws where there is no attempt left, and counts nothing. */
function looker(
  { adminPool, now }: Needs,
  { perAddress, perAccount }: Pick<AttemptLimits, 'perAddress' | 'perAccount'>,
) {
  return async (attempt: Attempt): Promise<void> => {
    const at = now();
    const bounds = { now: at, address: addressKey(attempt), perAddress, account: sharedKey(attempt), perAccount };
    assertWithin(waitUntil(await findFullWindow(adminPool, bounds), at));
  };
}

function boundStoring(needs: Needs, limits: AttemptLimits): Attempts['storing'] {
  const { storedPerAccount = 256 * mebibyte, storedPerAddress = 1_024 * mebibyte } = limits;
  const [perAccount, perAddress] = [storedPerAccount / storedUnit, storedPerAddress / storedUnit];
  const look = looker(needs, { perAccount, perAddress });
  const count = counter(needs, storingSeconds);
  return async (place, bytes, { neverRefuses = false } = {}) => {
    const attempt = { mutation: 'storing', ...place } as const;
    if (!neverRefuses) await look(attempt);
    /** The account counts first: over its bound it can no longer use up that of its network address. */
    const store = async (some: number): Promise<number> => {
      const units = Math.ceil(some / storedUnit);
      return (
        (await count(sharedKey(attempt), perAccount, units)) || (await count(addressKey(attempt), perAddress, units))
      );
    };
    const wait = await store(bytes);
    if (!neverRefuses) assertWithin(wait);
    return { storedMore: async (more) => void (await store(more)) };
  };
}

function boundMails(needs: Needs, limits: AttemptLimits): Pick<Attempts, 'mayMail' | 'invitation'> {
  const { perAddress, perMailbox = 2, perOrganization = 100, windowSeconds } = limits;
  const count = counter(needs, windowSeconds);
  const countInvitation = counter(needs, invitationSeconds);
  return {
    async mayMail(attempt) {
      assertWithin(await count(addressKey(attempt), perAddress));
      return (await count(mailboxKey(attempt), perMailbox)) === 0;
    },
    async invitation(organizationId) {
      assertWithin(await countInvitation(organizationKey(organizationId), perOrganization));
    },
  };
}

/** Returns zero for an attempt that is counted, or the seconds until the next one is let in. */
function counter({ adminPool, now }: Needs, windowSeconds: number) {
  return async (key: Buffer, most: number, weight?: number): Promise<number> => {
    const at = now();
    const windowEnd = new Date(at.getTime() + windowSeconds * 1_000);
    return waitUntil(await countAttempt(adminPool, { key, now: at, windowEnd, most, weight }), at);
  };
}

/** A stranger's attempts must not lock the owner out: a network from which the account logs in counts for itself. */
async function accountKey(attempt: Attempt, { adminPool, now }: Needs): Promise<Buffer> {
  // Before a sign-up there is no owner whom the table could know: each network counts for itself.
  if (attempt.mutation === 'signup') return ownKey(attempt);
  const own = isByEmail(attempt) && (await isNotedNetwork(adminPool, { key: notedKey(attempt), now: now() }));
  return own ? ownKey(attempt) : sharedKey(attempt);
}

function waitUntil(full: Date | null, at: Date): number {
  return full === null ? 0 : Math.max(1, Math.ceil((full.getTime() - at.getTime()) / 1_000));
}

function assertWithin(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw new AppError('rate_limited', { retryAfterSeconds });
}
