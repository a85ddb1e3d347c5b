// Limits the attempts at the authentication mutations and at invitations, by network and by account (schema.graphql, "Attempts").
import type { Pool } from 'pg';
import { AppError } from '../platform/errors.ts';
import {
  addressKey,
  isByEmail,
  askedMailFromKey,
  askedMailKey,
  keysOf,
  mailboxKey,
  notedKey,
  organizationKey,
  ownKey,
  sharedKey,
  siteKey,
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
import { siteBounds } from './networkOf.ts';
import type { Asker } from './passwords.ts';

export interface AttemptLimits {
  perAccount: number;
  /** A site (/48) has ten times as many, and so it has of `storedPerAddress`. */
  perAddress: number;
  windowSeconds: number;
  /** Mails of `resetPassword` to one mailbox in a window. Default: 2. */
  perMailbox?: number;
  /** Mails of other kinds to one mailbox in an hour that others have asked for. Default: 8. */
  askedPerMailbox?: number;
  /** Those of them that were asked for at one site. Default: 3. */
  askedPerMailboxAndSite?: number;
  /** Invitations of one organization in an hour. Default: 100. */
  perOrganization?: number;
  /** Bytes that an account makes the service store in a day. Default: 256 MiB. */
  storedPerAccount?: number;
  /** The same for all accounts at one network address together. Default: 1 GiB. */
  storedPerAddress?: number;
}

export type { Attempt } from './attemptKeys.ts';

export interface CountedAttempt {
  asker: Asker;
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
  /**
   * Counts a mail to the mailbox `account` that somebody else may have asked for, of any kind but `resetPassword`. Returns
   * the seconds until a further one may go out, or zero.
   */
  askedMail(place: Place): Promise<number>;
  /** As `askedMail`. Throws `rate_limited`. */
  assertAskedMail(place: Place): Promise<void>;
  /** Counts one invitation of the organization. Throws `rate_limited`. */
  invitation(organizationId: string): Promise<void>;
  /** Somebody has proved the mailbox or the password: the attempts at the account end. */
  clear(place: Place): Promise<void>;
  /** The account has logged in, or its mailbox is proved: the network has attempts of its own from now on, for 30 days. */
  noteLogin(place: Place): Promise<void>;
}

export const defaultAttemptLimits: AttemptLimits = { perAccount: 10, perAddress: 100, windowSeconds: 15 * 60 };

const invitationSeconds = 60 * 60;
const askedMailSeconds = 60 * 60;
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
    const isKnown = isByEmail(attempt) && (await isNotedNetwork(needs.adminPool, noteOf(attempt, needs)));
    // A network from which the account logs in must not be locked out by its neighbours.
    const site = isKnown ? null : siteKey(attempt);
    if (site) assertWithin(await count(site, siteBounds * limits.perAddress));
    const key = accountKey(attempt, isKnown);
    assertWithin(await count(key, limits.perAccount));
    return {
      asker: isKnown ? 'known' : 'stranger',
      async succeeded() {
        for (const counted of [addressKey(attempt), ...(site ? [site] : [])])
          await uncountAttempt(needs.adminPool, { key: counted, now: needs.now() });
        await deleteAttempts(needs.adminPool, [key]);
      },
    };
  }
  const look = looker(needs, limits);
  async function check(attempt: Attempt): Promise<{ failed(): Promise<void> }> {
    await look(attempt);
    return {
      async failed() {
        await countNetwork(count, attempt, limits.perAddress);
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
    const account = { account: sharedKey(attempt), perAccount };
    const site = { site: siteKey(attempt), perSite: siteBounds * perAddress };
    const bounds = { now: at, address: addressKey(attempt), perAddress, ...site, ...account };
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
        (await count(sharedKey(attempt), perAccount, units)) || (await countNetwork(count, attempt, perAddress, units))
      );
    };
    const wait = await store(bytes);
    if (!neverRefuses) assertWithin(wait);
    return { storedMore: async (more) => void (await store(more)) };
  };
}

function boundMails(
  needs: Needs,
  limits: AttemptLimits,
): Pick<Attempts, 'mayMail' | 'askedMail' | 'assertAskedMail' | 'invitation'> {
  const { perAddress, perMailbox = 2, perOrganization = 100, windowSeconds } = limits;
  const { askedPerMailbox = 8, askedPerMailboxAndSite = 3 } = limits;
  const count = counter(needs, windowSeconds);
  const countAsked = counter(needs, askedMailSeconds);
  /** The site counts first: over its bound it cannot use up what is left to others. */
  const askedMail = async (place: Place): Promise<number> =>
    (await countAsked(askedMailFromKey(place), askedPerMailboxAndSite)) ||
    (await countAsked(askedMailKey(place.account), askedPerMailbox));
  const countInvitation = counter(needs, invitationSeconds);
  return {
    async mayMail(attempt) {
      assertWithin(await countNetwork(count, attempt, perAddress));
      return (await count(mailboxKey(attempt), perMailbox)) === 0;
    },
    askedMail,
    async assertAskedMail(place) {
      assertWithin(await askedMail(place));
    },
    async invitation(organizationId) {
      assertWithin(await countInvitation(organizationKey(organizationId), perOrganization));
    },
  };
}

type Count = ReturnType<typeof counter>;

/** The network counts first, and then its site. Returns as `counter`. */
async function countNetwork(count: Count, attempt: Attempt, perAddress: number, weight?: number): Promise<number> {
  const wait = await count(addressKey(attempt), perAddress, weight);
  const site = siteKey(attempt);
  return wait || !site ? wait : count(site, siteBounds * perAddress, weight);
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
function accountKey(attempt: Attempt, isKnown: boolean): Buffer {
  // Before a sign-up there is no owner whom the table could know: each network counts for itself.
  return isKnown || attempt.mutation === 'signup' ? ownKey(attempt) : sharedKey(attempt);
}

const noteOf = (place: Place, { now }: Needs) => ({ key: notedKey(place), now: now() });

function waitUntil(full: Date | null, at: Date): number {
  return full === null ? 0 : Math.max(1, Math.ceil((full.getTime() - at.getTime()) / 1_000));
}

function assertWithin(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw new AppError('rate_limited', { retryAfterSeconds });
}
