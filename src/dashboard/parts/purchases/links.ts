// Where the screens of purchases point to.
import { linkOptions } from '@tanstack/react-router';
import type { EntitlementsSearch, TransactionsSearch } from '../../screens/searches.ts';

export const transactionsOf = (applicationId: string, search: TransactionsSearch) =>
  linkOptions({ to: '/apps/$applicationId/transactions', params: { applicationId }, search });
export type Place = ReturnType<typeof transactionsOf>;

export const deviceOf = (applicationId: string, id: string) =>
  linkOptions({ to: '/apps/$applicationId/device', params: { applicationId }, search: { id } });

export const entitlementsOf = (applicationId: string, search: EntitlementsSearch) =>
  linkOptions({ to: '/apps/$applicationId/entitlements', params: { applicationId }, search });
