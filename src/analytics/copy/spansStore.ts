// The weeks over which PostgreSQL's sessions are spread.
import type { ClientBase } from 'pg';
import type { Span } from './sourceStore.ts';

const dayMillis = 86_400_000;

/** Weeks that begin on Monday, as the partitions of events do; none where there is no session. */
export async function findSpans(client: ClientBase): Promise<Span[]> {
  const { rows } = await client.query<{ first: string | null; last: string | null }>(`/* analytics: findSpans */
    SELECT to_char(min(received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS first,
      to_char(max(received_at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS last FROM sessions`);
  const { first, last } = rows[0]!;
  return first === null || last === null ? [] : weeksOf(Date.parse(first), Date.parse(last));
}

/** From the week of one time to that of another. */
export function weeksOf(first: number, last: number): Span[] {
  const spans: Span[] = [];
  const weekday = (new Date(first).getUTCDay() + 6) % 7;
  const day = Date.parse(dateOf(first));
  for (let at = day - weekday * dayMillis; at <= last; at += 7 * dayMillis) {
    spans.push({ from: dateOf(at), to: dateOf(at + 7 * dayMillis) });
  }
  return spans;
}

const dateOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10);
