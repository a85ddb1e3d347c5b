// What the overview says of a range without any activity: where to look next.
import { Alert } from '@mantine/core';
import { TextLink } from '../../parts/TextLink.tsx';
import { useApplication } from '../../shell/chosenApplication.ts';
import type { Activity } from './overview.ts';

export function NothingYet({ activity }: { activity: Activity }) {
  const { applicationId } = useApplication();
  if (activity.totals.active > 0) return null;
  const params = { applicationId };
  return (
    <Alert variant="default" title="No activity in this range">
      Choose more days, or{' '}
      <TextLink to="/apps/$applicationId/first-event" params={params} underline="always">
        send an event
      </TextLink>
      .{' '}
      <TextLink to="/apps/$applicationId/live" params={params} underline="always">
        Live
      </TextLink>{' '}
      shows what arrives, and which uploads are refused.
    </Alert>
  );
}
