// Counts no attempts, for programs and tests without a database.
import type { Attempts } from '../../src/accounts/attempts.ts';

export const uncountedAttempts: Attempts = Object.assign(async () => ({ succeeded: async () => undefined }), {
  check: async () => ({ failed: async () => undefined }),
  storing: async () => ({ storedMore: async () => undefined }),
  mayMail: async () => true,
  invitation: async () => undefined,
  clear: async () => undefined,
  noteLogin: async () => undefined,
});
