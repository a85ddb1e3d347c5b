// The tokens that prove the mailbox of an e-mail address (schema.graphql, "Tokens"): their purposes and lifetimes.

/** `confirmation` proves the account's own address. `change` makes another address the account's. */
export type EmailTokenPurpose = 'confirmation' | 'change';

const hour = 60 * 60_000;
const lifetimeMillis = { confirmation: 7 * 24 * hour, change: 24 * hour } satisfies Record<EmailTokenPurpose, number>;

export function emailTokenExpiry(purpose: EmailTokenPurpose, now: Date): Date {
  return new Date(now.getTime() + lifetimeMillis[purpose]);
}
