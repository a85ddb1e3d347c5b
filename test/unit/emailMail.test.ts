// The texts of the mails about an account's address.
import { emailMail } from '../../src/accounts/emailMail.ts';
import { emailTokenExpiry } from '../../src/accounts/emailTokens.ts';

const linked = { email: 'ann@example.com', dashboardUrl: 'https://dashboard.example.com/app', token: 'x'.repeat(43) };

test.each(['confirmation', 'change'] as const)('%s: the link is on a line of its own', (kind) => {
  const { text } = emailMail({ kind, ...linked });
  expect(text.split('\n')).toContain(`https://dashboard.example.com/app/confirm-email?token=${linked.token}`);
  expect(text).toContain('ann@example.com');
});

test('the time that a mail names is that of its token', () => {
  const hoursOf = (kind: 'confirmation' | 'change') => emailTokenExpiry(kind, new Date(0)).getTime() / 3_600_000;
  expect(emailMail({ kind: 'change', ...linked }).text).toContain(`within ${hoursOf('change')} hours`);
  expect(emailMail({ kind: 'confirmation', ...linked }).text).toContain(`within ${hoursOf('confirmation') / 24} days`);
});

test('a notice and the mail to an address in use have no link', () => {
  const notice = emailMail({ kind: 'notice', email: 'ann@example.com', newEmail: 'ann@example.org' });
  const inUse = emailMail({ kind: 'in_use', email: 'ann@example.com' });
  expect(notice.text).toContain('\n  ann@example.org\n');
  expect(notice.text + inUse.text).not.toContain('://');
});
