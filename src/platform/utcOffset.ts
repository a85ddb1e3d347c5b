// Reads the offset from UTC at the end of an ISO 8601 date-time (openapi.yaml, "Dates and times").

const offset = /([+-])(\d{2})(?::?(\d{2}))?$/;

/** Minutes east of UTC, 0 for `Z`. `text` is a valid date-time, so that it ends with its zone. */
export function utcOffsetMinutes(text: string): number {
  if (text.endsWith('Z')) return 0;
  const [, sign, hours, minutes = '0'] = offset.exec(text)!;
  const east = Number(hours) * 60 + Number(minutes);
  // The sum makes 0 of the -0 of `-00:00`.
  return (sign === '-' ? -east : east) + 0;
}
