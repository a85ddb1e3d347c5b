// How many events an upload holds, valid or not: what the metrics call received.

/** `report` is any JSON value. */
export function countEvents(report: unknown): number {
  const sessions = listAt(report, 'sessions');
  let count = 0;
  for (const session of sessions) count += listAt(session, 'events').length;
  return count;
}

function listAt(value: unknown, name: string): unknown[] {
  const list = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  return Array.isArray(list) ? list : [];
}
