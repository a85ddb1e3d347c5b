// Where the screens of purchases point to.
import type { Place } from '../PlaceLink.tsx';
import type { EntitlementsSearch } from '../../screens/searches.ts';
import type { TransactionsSearch } from '../../screens/searches.ts';

export const transactionsOf = (applicationId: string, search: TransactionsSearch): Place => ({
  to: `/apps/${applicationId}/transactions`,
  search,
});

export const deviceOf = (applicationId: string, id: string): Place => ({
  to: `/apps/${applicationId}/device`,
  search: { id },
});

export const entitlementsOf = (applicationId: string, search: EntitlementsSearch): Place => ({
  to: `/apps/${applicationId}/entitlements`,
  search,
});
