// The text of reset and invitation mails.
import { passwordMail } from '../../src/accounts/passwordMail.ts';
import { quotedName } from '../../src/accounts/quotedName.ts';
import { createPasswordTokens, expiryOf, type PasswordTokenPurpose } from '../../src/accounts/passwordTokens.ts';

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
