// Counts no attempts, for programs and tests without a database.
import type { Attempts } from '../../src/accounts/attempts.ts';

export const uncountedAttempts: Attempts = Object.assign(
  async () => ({ asker: 'known' as const, succeeded: async () => undefined }),
  {
    check: async () => ({ failed: async () => undefined }),
    storing: async () => ({ storedMore: async () => undefined }),
    mayMail: async () => true,
    askedMail: async () => 0,
    assertAskedMail: async () => undefined,
    invitation: async () => undefined,
    clear: async () => undefined,
    noteLogin: async () => undefined,
  },
);
