// The application that the screens show: the one in the URL, else the one that was shown last.
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { applicationsOf, useMe, type SeenApplication } from '../session/me.ts';

const storageKey = 'application';

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
