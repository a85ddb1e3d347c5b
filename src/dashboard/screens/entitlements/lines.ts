// The state of a line in words.
import type { EntitlementsQuery } from '../../../../generated/screens/entitlements/graphql.ts';

export type Line = EntitlementsQuery['entitlements']['nodes'][number];

/** `active` is the service's own word. The rest says why. */
export function stateOf({ active, revokedAt, graceExpiresAt, inBillingRetry }: Line): string {
  if (active) return inBillingRetry && graceExpiresAt !== null ? 'Active, in grace' : 'Active';
  if (revokedAt !== null) return 'Taken back';
  return inBillingRetry ? 'Ended, in billing retry' : 'Ended';
}

export function renewalOf({ kind, autoRenew }: Line): string {
  if (kind !== 'AUTO_RENEWABLE') return '—';
  if (autoRenew == null) return 'not known';
  return autoRenew ? 'yes' : 'no';
}
