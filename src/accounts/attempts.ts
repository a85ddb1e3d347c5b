// Limits the attempts at the authentication mutations and at invitations, by network and by account (schema.graphql, "Attempts").
import { createHash } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { prepared } from '../platform/database/sql.ts';
import type { AdminPool } from '../platform/database/transaction.ts';
import { AppError } from '../platform/errors.ts';
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

interface CountedAttempt {
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

type Key = Buffer<ArrayBuffer>;

interface Needs {
  adminPool: AdminPool;
  now(): Date;
}

export function createAttempts(needs: Needs, limits: AttemptLimits): Attempts {
  const { adminPool, now } = needs;
  const rows = adminPool.prisma.attempt;
  const count = counter(needs, limits.windowSeconds);
  const isNoted = async (attempt: Attempt): Promise<boolean> =>
    (await rows.count({ where: { key: notedKey(attempt), expiresAt: { gt: now() } } })) === 1;
  /** Takes back an attempt of the current window. */
  const uncount = (key: Key) =>
    rows.updateMany({
      where: { key, count: { gt: 0 }, expiresAt: { gt: now() } },
      data: { count: { decrement: 1 } },
    });
  /** The network address counts first: over its limit it can no longer use up the attempts of an account. */
  async function begin(attempt: Attempt): Promise<CountedAttempt> {
    assertWithin(await count(addressKey(attempt), limits.perAddress));
    const isKnown = isByEmail(attempt) && (await isNoted(attempt));
    // A network from which the account logs in must not be locked out by its neighbours.
    const site = isKnown ? null : siteKey(attempt);
    if (site) assertWithin(await count(site, siteBounds * limits.perAddress));
    const key = accountKey(attempt, isKnown);
    assertWithin(await count(key, limits.perAccount));
    return {
      asker: isKnown ? 'known' : 'stranger',
      async succeeded() {
        for (const counted of [addressKey(attempt), ...(site ? [site] : [])]) await uncount(counted);
        await rows.deleteMany({ where: { key } });
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
    async clear(place: Place) {
      await rows.deleteMany({ where: { key: { in: keysOf(place) } } });
    },
    /** As a row that counts nothing. SQL, because it inserts or updates. */
    async noteLogin(place: Place) {
      const expiresAt = new Date(now().getTime() + noteLastsMillis);
      await adminPool.query(prepared('note_network')`/* accounts: noteNetwork */
        INSERT INTO attempts (key, count, expires_at) VALUES (${notedKey(place)}, 0, ${expiresAt})
        ON CONFLICT (key) DO UPDATE SET expires_at = excluded.expires_at`);
    },
  });
}

/** Throws where the network, its site or the account has no attempt left, and counts nothing. SQL, because it is one look. */
function looker({ adminPool, now }: Needs, most: Pick<AttemptLimits, 'perAddress' | 'perAccount'>) {
  const { perAddress, perAccount } = most;
  return async (attempt: Attempt): Promise<void> => {
    const at = now();
    const statement = prepared('find_full_window')`/* accounts: findFullWindow */
      SELECT max(expires_at) AS "expiresAt" FROM attempts
      WHERE (key = ${addressKey(attempt)} AND count >= ${perAddress}
          OR key = ${siteKey(attempt)} AND count >= ${siteBounds * perAddress}
          OR key = ${sharedKey(attempt)} AND count >= ${perAccount})
        AND expires_at > ${at}`;
    const { rows } = await adminPool.query<{ expiresAt: Date | null }>(statement);
    assertWithin(waitUntil(rows[0]?.expiresAt ?? null, at));
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

/**
 * Counts an attempt, unless there have been as many as allowed in the current window: then nothing changes. Returns zero for
 * an attempt that is counted, or the seconds until the next one is let in. SQL, because it counts and compares in one.
 */
function counter({ adminPool, now }: Needs, windowSeconds: number) {
  return async (key: Key, most: number, weight = 1): Promise<number> => {
    const at = now();
    const windowEnd = new Date(at.getTime() + windowSeconds * 1_000);
    const counted = await adminPool.query(prepared('count_attempt')`/* accounts: countAttempt */
      INSERT INTO attempts AS a (key, count, expires_at) VALUES (${key}, ${weight}, ${windowEnd})
      ON CONFLICT (key) DO UPDATE SET
        count = CASE WHEN a.expires_at <= ${at} THEN excluded.count ELSE a.count + excluded.count END,
        expires_at = CASE WHEN a.expires_at <= ${at} THEN excluded.expires_at ELSE a.expires_at END
      WHERE a.expires_at <= ${at} OR a.count < ${most}`);
    if (counted.rowCount === 1) return 0;
    const full = await adminPool.prisma.attempt.findUnique({ where: { key }, select: { expiresAt: true } });
    // An attempt that succeeded may have removed the row meanwhile: the next attempt is let in.
    return waitUntil(full?.expiresAt ?? at, at);
  };
}

/** A stranger's attempts must not lock the owner out: a network from which the account logs in counts for itself. */
function accountKey(attempt: Attempt, isKnown: boolean): Key {
  // Before a sign-up there is no owner whom the table could know: each network counts for itself.
  return isKnown || attempt.mutation === 'signup' ? ownKey(attempt) : sharedKey(attempt);
}

function waitUntil(full: Date | null, at: Date): number {
  return full === null ? 0 : Math.max(1, Math.ceil((full.getTime() - at.getTime()) / 1_000));
}

function assertWithin(retryAfterSeconds: number): void {
  if (retryAfterSeconds > 0) throw new AppError('rate_limited', { retryAfterSeconds });
}

// By what attempts are counted (pure): the keys of the table of attempts.

export interface Attempt {
  mutation:
    | 'login'
    | 'signup'
    | 'refreshToken'
    | 'resetPassword'
    | 'updatePassword'
    | 'passwordChange'
    | 'emailChange'
    | 'emailConfirm'
    | 'userInvite'
    | 'organizationCreate'
    | 'invitationAccept'
    | 'accountDelete'
    // No mutation: whatever users and service tokens make the service store.
    | 'storing';
  /**
   * The e-mail address in the form of `emailForm`, or the token as sent. For an invitation: organization and address. For
   * `storing`: the user, or the service tokens of an organization.
   */
  account: string;
  address: string;
}

/** An account and the network address of its user. */
export type Place = Pick<Attempt, 'account' | 'address'>;

/** At this one the account is an e-mail address, which strangers know. */
const isByEmail = ({ mutation }: Attempt): boolean => mutation === 'login';

/** The mails to a mailbox, whoever asks for them. */
const mailboxKey = ({ mutation, account }: Attempt): Key => keyOf([mutation, 'mailbox', account]);

/** The mails that others ask for of another kind than `resetPassword`: from everywhere, and from one site. */
const askedMailKey = (mailbox: string): Key => keyOf(['mail', 'mailbox', mailbox]);
const askedMailFromKey = ({ account, address }: Place): Key => keyOf(['mail', 'mailbox', account, siteOf(address)]);

/** What an organization sends to strangers. */
const organizationKey = (organizationId: string): Key => keyOf(['userInvite', 'organization', organizationId]);

export const addressKey = ({ mutation, address }: Attempt): Key => keyOf([mutation, 'address', networkOf(address)]);

/** Of the site of an IPv6 address. Null where the address is no part of a site. */
function siteKey({ mutation, address }: Attempt): Key | null {
  const site = siteOf(address);
  return site === networkOf(address) ? null : keyOf([mutation, 'site', site]);
}

/** The account's attempts from everywhere together. */
export const sharedKey = ({ mutation, account }: Attempt): Key => keyOf([mutation, 'account', account]);

/** The account's attempts from one network. */
const ownKey = ({ mutation, account, address }: Attempt): Key =>
  keyOf([mutation, 'account', account, networkOf(address)]);

/** Under this key the table notes that the account has logged in from the network. */
const notedKey = ({ account, address }: Place): Key => keyOf(['login', 'from', account, networkOf(address)]);

/**
 * All attempts at an account by its e-mail address, as far as this network can know of them, and those at its password by
 * a bearer. Attempts at `emailChange` stay: each sends mails, and a login of one's own must not allow ten more.
 */
const keysOf = (place: Place): Key[] => [
  sharedKey({ mutation: 'login', ...place }),
  ownKey({ mutation: 'login', ...place }),
  mailboxKey({ mutation: 'resetPassword', ...place }),
  sharedKey({ mutation: 'passwordChange', ...place }),
  sharedKey({ mutation: 'accountDelete', ...place }),
];

/** Hashed, so that a text of any length fits the key and the table holds nobody's address. */
function keyOf(by: string[]): Key {
  return createHash('sha256').update(JSON.stringify(by)).digest();
}

// The networks by which strangers are counted and take turns: an IPv4 address, or the /64 and the /48 of an IPv6 address.

/** Of an IPv6 address the /64, because one customer has a whole one. An IPv4 address written as IPv6 counts as IPv4. A port, which some proxies add, does not count. */
export function networkOf(sent: string): string {
  const address = addressOf(sent);
  return isIPv6(address) ? `${groupsOf(address, 4)}::/64` : address;
}

/**
 * For turns, and for the higher bounds beside those of a network: the /48 of an IPv6 address, because one customer may have
 * 65,536 networks of /64. An IPv4 address stands for itself.
 */
export function siteOf(sent: string): string {
  const address = addressOf(sent);
  return isIPv6(address) ? `${groupsOf(address, 3)}::/48` : address;
}

/** What a site may do against what one of its networks may. An IPv4 address has the bounds of a network alone. */
export const siteBounds = 10;

/**
 * For the log, which holds no address: the /24 of an IPv4 address and the /48 of an IPv6 address, which many customers
 * share. A proxy may pass on what a client has sent, so any other text is `unknown`.
 */
export function loggedNetwork(sent: string): string {
  const address = addressOf(sent);
  if (isIP(address) === 0) return 'unknown';
  return isIPv6(address) ? `${groupsOf(address, 3)}::/48` : address.replace(/\d+$/, '0/24');
}

function addressOf(sent: string): string {
  const address = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(sent)?.slice(1).find(Boolean) ?? sent;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
}

/** The first groups of an IPv6 address, in one spelling. */
function groupsOf(address: string, count: number): string {
  const [head = '', tail = ''] = address.toLowerCase().split('%')[0]!.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  const groups = address.includes('::') ? [...left, ...zeros, ...right] : left;
  return groups
    .slice(0, count)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}
