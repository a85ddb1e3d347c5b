// The variables that mails add to the configuration.
import { readConfig } from '../../src/config.ts';
import { productionEnv } from '../support/productionEnv.ts';

test('defaults: files, and a dashboard on this machine', () => {
  const { smtpUrl, dashboardUrl, mailFrom } = readConfig({});
  expect([smtpUrl, dashboardUrl, mailFrom]).toEqual([undefined, 'http://localhost:8080/admin', 'no-reply@localhost']);
});

test('mail comes from the host of the dashboard unless it is said, and links have one slash', () => {
  expect(readConfig({ DASHBOARD_URL: 'https://example.com:8443/app//' })).toMatchObject({
    dashboardUrl: 'https://example.com:8443/app',
    mailFrom: 'no-reply@example.com',
  });
  for (const sender of ['a@b.c', 'Campaigns <a@b.c>', '<a@b.c>', 'Café, Bar <a@b.c>']) {
    expect(readConfig({ MAIL_FROM: sender }).mailFrom).toBe(sender);
  }
});

test('production needs a dashboard and a mail server where jobs run', () => {
  const SMTP_URL = 'smtps://user:p%40ss@mail.example.com';
  const withoutMail = { ...productionEnv, DASHBOARD_URL: undefined, SMTP_URL: undefined };
  expect(readConfig({ ...productionEnv, SMTP_URL })).toMatchObject({ smtpUrl: SMTP_URL });
  for (const ROLE of ['all', 'worker']) {
    expect(() => readConfig({ ...withoutMail, ROLE })).toThrow(
      /DASHBOARD_URL: is required in production\n.*SMTP_URL: is required in production/,
    );
  }
  for (const ROLE of ['ingest', 'admin', 'api']) {
    expect(readConfig({ ...withoutMail, ROLE })).toMatchObject({ smtpUrl: undefined });
  }
});

test.each([
  ['SMTP_URL', 'mail.example.com:587'],
  ['SMTP_URL', 'https://mail.example.com'],
  ['DASHBOARD_URL', 'dashboard.example.com'],
  ['DASHBOARD_URL', 'javascript:alert(1)'],
  ['DASHBOARD_URL', 'https://dashboard.example.com/?a=b'],
  ['DASHBOARD_URL', 'https://dashboard.example.com/#/app'],
  ['DASHBOARD_URL', 'https://user:secret@dashboard.example.com'],
  ['MAIL_FROM', 'nobody'],
  ['MAIL_FROM', 'Campaigns a@b.c'],
  ['MAIL_FROM', 'a@b.c>'],
  ['MAIL_FROM', 'Campaigns <a@b.c>\r\nBcc: d@e.f'],
])('%s=%j is refused without being repeated', (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(new RegExp(`\\n  ${name}: `));
  expect(read).not.toThrow(value);
});
