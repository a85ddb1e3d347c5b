// Keeps a device's `X-Timestamp` from going back when its clock does: openapi.yaml, "Clock correction".
//
// The server responds 200 to an upload that is older than the stored user and device state, but ignores its state:
// openapi.yaml, reportSessions, "User and device state".
// A delta in such an upload is lost. A clock that is four minutes fast is inside
// the server's window, so the server accepts its first upload with a time in the future. After the correction every
// upload of four minutes would then count as older. The same happens when a person sets the clock back.
// All values are Unix seconds.

/** The server takes a timestamp 300 s ahead of its time. The other 10 s are for the network and for rounding to seconds. */
const windowSeconds = 290;

/** More attempts, with their waits, take longer than the window. */
const longestList = 64;

/** `sent` holds the timestamps that the server may have accepted. Of equal timestamps the later arrival wins. */
export function nextTimestamp(correctedNow: number, sent: number[]): number {
  return Math.max(0, Math.floor(correctedNow), ...sent);
}

/** Call it before a request is sent. The server may accept the request although no response arrives. */
export function withTimestamp(sent: number[], timestamp: number): number[] {
  return sent.includes(timestamp) ? sent : [...sent, timestamp].slice(-longestList);
}

/** Call it after a clock correction. Of the timestamps that the server can have accepted only the highest matters. */
export function plausibleTimestamps(sent: number[], correctedNow: number): number[] {
  const plausible = sent.filter((timestamp) => timestamp - correctedNow <= windowSeconds);
  return plausible.length > 0 ? [Math.max(...plausible)] : [];
}
