// The SQL that says over which weeks PostgreSQL's sessions are spread.
import type { ClientBase } from 'pg';
import type { Span } from './sourceStore.ts';

const dayMillis = 86_400_000;

/** Weeks that begin on Monday, as the partitions of events do; none where there is no session. */
export async function findSpans(client: ClientBase): Promise<Span[]> {
  const { rows } = await client.query<{ first: string | null; last: string | null }>(`/* analytics: findSpans */
    SELECT to_char(min(received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS first,
      to_char(max(received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS last FROM sessions`);
  const { first, last } = rows[0]!;
  const spans: Span[] = [];
  if (first === null || last === null) return spans;
  const end = Date.parse(last);
  const weekday = (new Date(first).getUTCDay() + 6) % 7;
  for (let at = Date.parse(first) - weekday * dayMillis; at <= end; at += 7 * dayMillis) {
    spans.push({ from: dateOf(at), to: dateOf(at + 7 * dayMillis) });
  }
  return spans;
}

const dateOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10);
