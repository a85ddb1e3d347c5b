// The texts of the reset and the invitation mail: pure. Their links begin with the configured address (schema.graphql, "Mails").
import type { PasswordTokenPurpose } from './passwordTokens.ts';
import { quotedName } from './quotedName.ts';

export interface PasswordMailFacts {
  purpose: PasswordTokenPurpose;
  email: string;
  /** Empty for a reset. */
  organizationName: string;
  /** Without a final slash. */
  dashboardUrl: string;
  token: string;
  /** The account was a member until somebody proved the mailbox. */
  takenBack?: boolean;
}

export function passwordMail(facts: PasswordMailFacts): { subject: string; text: string } {
  if (facts.purpose === 'reset') return resetMail(facts);
  return facts.takenBack ? takenBackMail(facts) : invitationMail(facts);
}

function resetMail({ email, dashboardUrl, token }: PasswordMailFacts) {
  const text = `Somebody asked for a new password for ${email}.

To set one, open this link within 30 minutes. It works once.

${dashboardUrl}/reset-password?token=${token}

If it was not you, ignore this mail: your password stays as it is.
`;
  return { subject: 'Set a new password', text };
}

/** The subject leaves out the organization's name, because anybody can choose that text. */
function invitationMail({ email, organizationName, dashboardUrl, token }: PasswordMailFacts) {
  const text = `You (${email}) are invited to the organization

  ${quotedName(organizationName)}

To join, open this link within 7 days and log in, or choose a password. It works once.

${dashboardUrl}/accept-invitation?token=${token}

If you do not know the organization, ignore this mail.
`;
  return { subject: 'You are invited', text };
}

/** After a stranger's sign-up the organization is the stranger's; after one's own the mail is the way back. */
function takenBackMail({ email, organizationName, dashboardUrl, token }: PasswordMailFacts) {
  const text = `You have set a password for ${email}. Nobody had confirmed this address before. Somebody had
used it in the organization

  ${quotedName(organizationName)}

Your account no longer belongs to this organization.

If you do not know the organization, ignore this mail. If you want to belong to it, open this link within 7 days and log
in. It works once.

${dashboardUrl}/accept-invitation?token=${token}
`;
  return { subject: 'Your account has left an organization', text };
}
