// Tells the responses of src/analytics/reads/notYet.ts, until the last read is written and both files go.

/** Whether a read that is not written has answered. */
export function isNotYet(codes: readonly string[]): boolean {
  return codes.length > 0 && codes.every((code) => code === 'ANALYTICS_UNAVAILABLE');
}
