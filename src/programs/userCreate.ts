// `npm run user:create`: makes an organization with its first owner, and prints the link that sets the owner's password.
import { readEmail } from '../accounts/emailAddress.ts';
import { createOwner, linkHours, type NewOwner } from '../accounts/passwordLinks.ts';
import { isAppError } from '../platform/errors.ts';
import { runAccountProgram } from './runProgram.ts';

const usage = `Usage: npm run user:create -- --email ADDRESS --organization NAME [--name NAME]
In the image: node dist/src/programs/userCreate.js --email ADDRESS --organization NAME [--name NAME]

Makes an organization with its first owner, whatever SIGNUP says, and prints a link to set the owner's password.
The link works once, for ${linkHours} hours. The address counts as confirmed.
Settings: DATABASE_URL and DASHBOARD_URL, both required in production.
`;

await runAccountProgram<NewOwner>({
  usage,
  options: ['email', 'organization', 'name'],
  required: ['email', 'organization'],
  read: (words, rules) => ({
    email: readEmail(rules, '--email', words['email']!),
    organization: rules.name('--organization', words['organization']!),
    name: words['name'] === undefined ? null : rules.name('--name', words['name']),
  }),
  async work(owner, needs) {
    try {
      const link = await createOwner(owner, needs);
      return `${owner.email} owns the new organization. Set a password within ${linkHours} hours:\n${link}`;
    } catch (error) {
      if (!isAppError(error, 'conflict')) throw error;
      const command = `npm run user:reset -- --email ${owner.email}`;
      throw new Error(`${owner.email} is in use: ${command} prints a link for it.`, { cause: error });
    }
  },
});
