// Whether the copy has found as many rows as the log says, for a cluster whose workers show a commit later than its log.
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ClientBase } from 'pg';
import { rowsOfDuck } from './duck.ts';
import { hasLateCommit, type Change } from './logStore.ts';

/** The time of arrival in a row may be taken before its transaction begins. */
const slackMicros = 10_000_000n;

/** Twice `citus.recover_2pc_interval`, by when the coordinator has ended what a lost connection has left. */
const patienceMicros = 120_000_000n;

/** A change that is far ahead of the clock is of before the clock was set back. */
const isYoung = (at: bigint, now: bigint): boolean => now - at < patienceMicros && at - now < patienceMicros;

/** A commit that meets no trouble has reached all workers by then. */
const commitMicros = 1_000_000n;

/** Whether a change that has not said how many events it inserted may still be under way to a worker. */
export async function mayBeUnderWay(client: ClientBase, changes: readonly Change[], now: bigint): Promise<boolean> {
  const unsaid = changes.filter(({ events, refs, at }) => events === null && refs.length > 0 && isYoung(at, now));
  if (unsaid.length === 0) return false;
  return unsaid.some(({ at }) => now - at < commitMicros) || hasLateCommit(client);
}

/**
 * The first change of which rows are missing, which may come yet; null where none is. Rows that a later transaction has
 * removed are missing too: the wait for them ends with the patience.
 */
export async function findIncomplete(
  duck: DuckDBConnection,
  changes: readonly Change[],
  now: bigint,
): Promise<Change | null> {
  const counted = changes.filter(({ at, refs }) => refs.length > 0 && isYoung(at, now));
  if (counted.length === 0) return null;
  const said = counted.map(({ refs, at }, nth) => ({ nth, since: String(at - slackMicros), refs }));
  const found = await rowsOfDuck<{ nth: bigint; sessions: bigint; events: bigint }>(duck, {
    text: `WITH said AS (SELECT s.nth, s.since, unnest(s.refs) AS session
        FROM (SELECT unnest(from_json($1, '[{"nth": "BIGINT", "since": "BIGINT", "refs": ["BIGINT"]}]')) AS s)),
      sessions AS (SELECT nth, count(*) AS sessions FROM said JOIN stored.sessions USING (session) GROUP BY nth),
      events AS (SELECT nth, count(*) AS events FROM said JOIN stored.events e
        ON e.session = said.session AND e.arrived_at >= said.since GROUP BY nth)
      SELECT nth, sessions, coalesce(events, 0) AS events FROM sessions LEFT JOIN events USING (nth)`,
    values: [JSON.stringify(said)],
  });
  const byNth = new Map(found.map((row) => [Number(row.nth), row]));
  const isWhole = ({ sessions, events }: Change, nth: number): boolean => {
    const here = byNth.get(nth) ?? { sessions: 0n, events: 0n };
    return here.sessions >= sessions && here.events >= (events ?? 0);
  };
  return counted.find((change, nth) => !isWhole(change, nth)) ?? null;
}
