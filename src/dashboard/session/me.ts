// The logged-in user, the organization and its applications, as every screen needs them.
import { createContext, useContext } from 'react';
import type { MeQuery } from '../../../generated/screens/session/graphql.ts';

export type Me = MeQuery;
export type Role = 'viewer' | 'editor' | 'admin' | 'owner';
export type SeenApplication = NonNullable<
  NonNullable<MeQuery['organization']['projects']>[number]['applications']
>[number];

export const MeContext = createContext<Me | null>(null);

/** Only below the shell, which waits for it. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (!me) throw new Error('useMe is for screens inside of the shell');
  return me;
}

export function applicationsOf({ organization }: Me): SeenApplication[] {
  return (organization.projects ?? []).flatMap(({ applications }) => applications ?? []);
}
