// The texts of the reset and the invitation mail: pure. Their links begin with the configured address (schema.graphql, "Mails").
import type { PasswordTokenPurpose } from './passwordTokens.ts';

export interface PasswordMailFacts {
  purpose: PasswordTokenPurpose;
  email: string;
  organizationName: string;
  /** Without a final slash. */
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

/** The subject leaves out the organization's name, because anybody can choose that text. */
function invitationMail({ email, organizationName, dashboardUrl, token }: PasswordMailFacts) {
  const text = `You (${email}) are invited to the organization

  ${organizationName}

To join, open this link within 7 days and choose a password. It works once.

${dashboardUrl}/accept-invitation?token=${token}

If you do not know the organization, ignore this mail.
`;
  return { subject: 'You are invited', text };
}
