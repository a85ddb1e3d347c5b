// The texts of the mails about an account's address: pure. Their links begin with the configured address (schema.graphql, "Mails").
import type { EmailTokenPurpose } from './emailTokens.ts';

export type EmailMailFacts =
  | { kind: EmailTokenPurpose; email: string; dashboardUrl: string; token: string }
  | { kind: 'in_use'; email: string }
  | { kind: 'notice'; email: string; newEmail: string };

export function emailMail(facts: EmailMailFacts): { subject: string; text: string } {
  switch (facts.kind) {
    case 'confirmation':
      return confirmationMail(facts);
    case 'change':
      return changeMail(facts);
    case 'in_use':
      return inUseMail(facts);
    case 'notice':
      return noticeMail(facts);
  }
}

interface Linked {
  email: string;
  dashboardUrl: string;
  token: string;
}

const linkOf = ({ dashboardUrl, token }: Linked): string => `${dashboardUrl}/confirm-email?token=${token}`;

function confirmationMail(facts: Linked) {
  const text = `An account with your e-mail address ${facts.email} was made.

To confirm that the address is yours, open this link within 7 days. It works once.

${linkOf(facts)}

If it was not you, ignore this mail.
`;
  return { subject: 'Confirm your e-mail address', text };
}

function changeMail(facts: Linked) {
  const text = `Somebody wants to use ${facts.email} as the e-mail address of their account.

If it was you, open this link within 24 hours. It works once.

${linkOf(facts)}

If it was not you, ignore this mail.
`;
  return { subject: 'Confirm your new e-mail address', text };
}

/** Only the owner of the mailbox learns it: the response to `emailChange` is the same for an address in use. */
function inUseMail({ email }: { email: string }) {
  const text = `Somebody wants to use ${email} as the e-mail address of their account.

There is an account with this address already, and nothing changes. If it was you, log in to that account. If you do
not know its password, ask for a new one there.

If it was not you, ignore this mail.
`;
  return { subject: 'Your e-mail address has an account', text };
}

function noticeMail({ email, newEmail }: { email: string; newEmail: string }) {
  const text = `Somebody who knows the password of your account ${email} wants to change its e-mail address to

  ${newEmail}

The address changes when that mailbox confirms it. If it was you, there is nothing to do.

If it was not you, set a new password now: the change can then no longer be confirmed.
`;
  return { subject: 'Your e-mail address is to change', text };
}
