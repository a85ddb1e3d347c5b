// `npm run user:reset`: prints a link that sets a new password for an existing user.
import { readEmail } from '../accounts/emailAddress.ts';
import { linkHours, resetByLink } from '../accounts/passwordLinks.ts';
import { isAppError } from '../platform/errors.ts';
import { runAccountProgram } from './runProgram.ts';

const usage = `Usage: npm run user:reset -- --email ADDRESS
In the image: node dist/src/programs/userReset.js --email ADDRESS

Prints a link to set a new password for the user with this address. The password that the user has works until then.
The link works once, for ${linkHours} hours. The address counts as confirmed.
Settings: DATABASE_URL and DASHBOARD_URL, both required in production.
`;

await runAccountProgram<string>({
  usage,
  options: ['email'],
  required: ['email'],
  read: (words, rules) => readEmail(rules, '--email', words['email']!),
  async work(email, needs) {
    try {
      return `Set a new password for ${email} within ${linkHours} hours:\n${await resetByLink(email, needs)}`;
    } catch (error) {
      if (!isAppError(error, 'not_found')) throw error;
      throw new Error(`No user has the address ${email}.`, { cause: error });
    }
  },
});
