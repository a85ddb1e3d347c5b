// `X-Timestamp` of one device never goes back, although its clock does. All values are Unix seconds.
//
// The server ignores user and device state that is older than what it has, and answers 200: a delta in it would be lost.
// A clock that is four minutes fast is inside the server's window, so its first upload is taken with a time to come, and
// after the correction every upload would count as older for four minutes. The same happens when somebody sets the clock.

/** The server's window is 300 s; the rest is for the way and for whole seconds. */
const windowSeconds = 290;

/** More attempts than this, with their waits, take longer than the window. */
const longestList = 64;

/** `sent` are the timestamps that the server may have taken. Equal timestamps count in the order of arrival. */
export function nextTimestamp(correctedNow: number, sent: number[]): number {
  return Math.max(0, Math.floor(correctedNow), ...sent);
}

/** Before a request leaves: if there is no answer, the server may have taken it all the same. */
export function withTimestamp(sent: number[], timestamp: number): number[] {
  return sent.includes(timestamp) ? sent : [...sent, timestamp].slice(-longestList);
}

/** After the clock was corrected: of those that the server can have taken only the highest matters. */
export function plausibleTimestamps(sent: number[], correctedNow: number): number[] {
  const plausible = sent.filter((timestamp) => timestamp - correctedNow <= windowSeconds);
  return plausible.length > 0 ? [Math.max(...plausible)] : [];
}
