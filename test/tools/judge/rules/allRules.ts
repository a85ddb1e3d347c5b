// All rules of docs/sdk/rules.md by their ids, in the order of that page.
import { clockRules } from './clock.ts';
import { otherRules } from './others.ts';
import { refusalRules } from './refusals.ts';
import { requestRules } from './requests.ts';
import { retryRules } from './retries.ts';
import type { Rule } from './rule.ts';
import { sessionRules } from './sessions.ts';
import { userRules } from './users.ts';
import { waitRules } from './waits.ts';

export const rules: Record<string, Rule> = {
  ...requestRules,
  ...retryRules,
  ...waitRules,
  ...refusalRules,
  ...clockRules,
  ...sessionRules,
  ...userRules,
  ...otherRules,
};
