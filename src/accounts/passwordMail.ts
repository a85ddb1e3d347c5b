// What the reset and the invitation mail say: pure. The link is made of the configured address alone.
import type { PasswordTokenPurpose } from './passwordTokens.ts';

export interface PasswordMailFacts {
  purpose: PasswordTokenPurpose;
  email: string;
  organizationName: string;
  /** Without a slash at its end. */
  dashboardUrl: string;
  token: string;
}

export function passwordMail(facts: PasswordMailFacts): { subject: string; text: string } {
  return facts.purpose === 'reset' ? resetMail(facts) : invitationMail(facts);
}

function resetMail({ email, dashboardUrl, token }: PasswordMailFacts) {
  const text = `Somebody asked for a new password for ${email}.

To set one, open this link within 30 minutes. It works once.

${dashboardUrl}/reset-password?token=${token}

If it was not you, ignore this mail: your password stays as it is.
`;
  return { subject: 'Set a new password', text };
}

/** The organization's name is anybody's text: it stays out of the subject. */
function invitationMail({ email, organizationName, dashboardUrl, token }: PasswordMailFacts) {
  const text = `You (${email}) are invited to the organization

  ${organizationName}

To join, open this link within 7 days and choose a password. It works once.

${dashboardUrl}/accept-invitation?token=${token}

If you do not know the organization, ignore this mail.
`;
  return { subject: 'You are invited', text };
}
