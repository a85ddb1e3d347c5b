// The logged-in user, the organization and its applications, and the one that the screens show.
import { useParams } from '@tanstack/react-router';
import { createContext, useContext, useEffect } from 'react';
import type { MeQuery } from '../../../generated/screens/session/graphql.ts';

export type Me = MeQuery;
export type Role = 'viewer' | 'editor' | 'admin' | 'owner';
export type SeenApplication = NonNullable<
  NonNullable<MeQuery['organization']['projects']>[number]['applications']
>[number];

/** The logged-in user, the organization and its applications, as every screen needs them. */
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

const storageKey = 'application';

/** The application that the screens show: the one in the URL, else the one that was shown last. */
export function useChosenApplication(): SeenApplication | null {
  const { applicationId } = useParams({ strict: false });
  const applications = applicationsOf(useMe());
  const wanted = applicationId ?? sessionStorage.getItem(storageKey);
  const chosen = applications.find(({ id }) => id === wanted);
  useEffect(() => {
    if (chosen) sessionStorage.setItem(storageKey, chosen.id);
  }, [chosen]);
  return chosen ?? (applicationId === undefined ? (applications[0] ?? null) : null);
}

/** For screens of one application: the one in the URL. */
export function useApplication(): { applicationId: string; application: SeenApplication | null; timeZone: string } {
  const { applicationId = '' } = useParams({ strict: false });
  const application = applicationsOf(useMe()).find(({ id }) => id === applicationId) ?? null;
  return { applicationId, application, timeZone: application?.timeZone ?? 'UTC' };
}
