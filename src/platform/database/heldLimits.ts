// The time limits of the pool's connections behind a pooler, which drops those that a connection asks for at its start.
import type { ClientBase } from 'pg';
import type { Log } from '../observability/log.ts';

const limited = "'{statement_timeout,lock_timeout,idle_in_transaction_session_timeout}'::text[]";

/** Shortens what is longer or missing on this connection. A limit that the operator has made shorter stays. */
const shorten = (millis: number): string => `/* platform: shortenLimits */
  SELECT count(set_config(name, '${millis}', false))::int AS shortened FROM unnest(${limited}) AS limits (name)
  WHERE extract(epoch FROM current_setting(name)::interval) NOT BETWEEN 0.001 AND ${millis / 1_000}`;

/**
 * Every role may do this for itself. Two processes that do it at once would fail, so they take turns: the lock is of the
 * transaction, because one of a session is not safe behind a pooler.
 */
const limitRole = (millis: number): string => `/* platform: limitRole */
  DO $$ DECLARE name text; BEGIN
    PERFORM pg_advisory_xact_lock(72707370);
    FOREACH name IN ARRAY ${limited} LOOP
      EXECUTE format('ALTER ROLE CURRENT_USER IN DATABASE %I SET %s = ${millis}', current_database(), name);
    END LOOP;
  END $$`;

export interface HeldLimits {
  /** For each new connection. The pool awaits it before the first user gets the connection. */
  onConnect(client: ClientBase): unknown;
  /** For each idle connection, every second. */
  idleQuestion(): string;
}

/**
 * Asks each new connection whether it has the limits. If not, a pooler stands between: this connection gets them, and the
 * role too, so that every later connection of the pooler to PostgreSQL has them. Where a transaction may meet another of the
 * pooler's connections than the one before, the question to idle connections reaches the older ones.
 */
export function createHeldLimits(millis: number, log: Log): HeldLimits {
  let dropped = false;
  return {
    async onConnect(client) {
      const { rows } = await client.query<{ shortened: number }>(shorten(millis));
      if (rows[0]!.shortened === 0 || dropped) return;
      dropped = true;
      try {
        await client.query(limitRole(millis));
        log.info({ millis }, 'a pooler drops time limits: the role has them now');
      } catch (error) {
        log.warn({ err: error, millis }, 'a pooler drops time limits, and the role could not get them');
      }
    },
    idleQuestion: () => (dropped ? shorten(millis) : '/* platform: idle connection */ SELECT 1'),
  };
}
