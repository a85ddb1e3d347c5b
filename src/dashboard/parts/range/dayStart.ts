// The first instant of a calendar day in a zone.

/** `day` as `2026-03-01`; the response is an instant as the API takes it. */
export function dayStart(day: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone });
  const middle = Date.parse(`${day}T00:00:00Z`);
  // No zone is a whole day away from UTC.
  let [before, from] = [middle - 86_400_000, middle + 86_400_000];
  while (from - before > 1) {
    const half = Math.floor((before + from) / 2);
    if (format.format(half) >= day) from = half;
    else before = half;
  }
  return new Date(from).toISOString();
}
