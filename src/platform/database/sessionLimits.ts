// The timeouts of sessions without a request: a role's timeouts for requests must not cut off a migration.

/** For one statement that only reads, at the start of a process. */
export const lookMillis = 10_000;

/** For a session that changes the schema: an index may take hours, and so may the wait for another process. */
export const withoutLimits =
  'SET statement_timeout = 0; SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0';
