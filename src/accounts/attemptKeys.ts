// By what attempts are counted (pure): the keys of the table of attempts.
import { createHash } from 'node:crypto';
import { networkOf, siteOf } from './networkOf.ts';

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
export const isByEmail = ({ mutation }: Attempt): boolean => mutation === 'login';

/** The mails to a mailbox, whoever asks for them. */
export const mailboxKey = ({ mutation, account }: Attempt): Buffer => keyOf([mutation, 'mailbox', account]);

/** The mails that others ask for of another kind than `resetPassword`: from everywhere, and from one site. */
export const askedMailKey = (mailbox: string): Buffer => keyOf(['mail', 'mailbox', mailbox]);
export const askedMailFromKey = ({ account, address }: Place): Buffer =>
  keyOf(['mail', 'mailbox', account, siteOf(address)]);

/** What an organization sends to strangers. */
export const organizationKey = (organizationId: string): Buffer =>
  keyOf(['userInvite', 'organization', organizationId]);

export const addressKey = ({ mutation, address }: Attempt): Buffer => keyOf([mutation, 'address', networkOf(address)]);

/** Of the site of an IPv6 address. Null where the address is no part of a site. */
export function siteKey({ mutation, address }: Attempt): Buffer | null {
  const site = siteOf(address);
  return site === networkOf(address) ? null : keyOf([mutation, 'site', site]);
}

/** The account's attempts from everywhere together. */
export const sharedKey = ({ mutation, account }: Attempt): Buffer => keyOf([mutation, 'account', account]);

/** The account's attempts from one network. */
export const ownKey = ({ mutation, account, address }: Attempt): Buffer =>
  keyOf([mutation, 'account', account, networkOf(address)]);

/** Under this key the table notes that the account has logged in from the network. */
export const notedKey = ({ account, address }: Place): Buffer => keyOf(['login', 'from', account, networkOf(address)]);

/**
 * All attempts at an account by its e-mail address, as far as this network can know of them, and those at its password by
 * a bearer. Attempts at `emailChange` stay: each sends mails, and a login of one's own must not allow ten more.
 */
export const keysOf = (place: Place): Buffer[] => [
  sharedKey({ mutation: 'login', ...place }),
  ownKey({ mutation: 'login', ...place }),
  mailboxKey({ mutation: 'resetPassword', ...place }),
  sharedKey({ mutation: 'passwordChange', ...place }),
  sharedKey({ mutation: 'accountDelete', ...place }),
];

/** Hashed, so that a text of any length fits the key and the table holds nobody's address. */
function keyOf(by: string[]): Buffer {
  return createHash('sha256').update(JSON.stringify(by)).digest();
}
