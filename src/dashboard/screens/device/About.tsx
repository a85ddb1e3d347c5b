// Who uses the device, when it was seen, and whether it is a test device.
import { count, time } from '../../parts/figures.ts';
import { Facts } from '../../parts/Facts.tsx';
import { Panel } from '../../parts/Panel.tsx';
import { UserLink } from '../../parts/UserLink.tsx';
import { ClockTime } from './ClockTime.tsx';
import type { DevicePart, SeenDevice } from './Device.tsx';
import { LastActivity } from './LastActivity.tsx';
import { TestDevice } from './TestDevice.tsx';

export function About({ applicationId, timeZone, id, device }: DevicePart & { device: SeenDevice }) {
  const { userId, firstSeenAt, lastSeenAt, sessionsCount } = device;
  return (
    <Panel title="About">
      <Facts
        beside
        facts={[
          {
            name: 'User',
            value:
              userId === null ? (
                'The app has set none.'
              ) : (
                <UserLink applicationId={applicationId} user={userId} whole />
              ),
          },
          { name: 'First seen', value: time(firstSeenAt, timeZone, 'full') },
          {
            name: 'Last activity',
            value: <LastActivity applicationId={applicationId} id={id} timeZone={timeZone} />,
          },
          {
            name: 'Last seen',
            value: <ClockTime at={time(lastSeenAt, timeZone, 'full')} clock="last upload, service’s clock" />,
          },
          { name: 'Sessions stored', value: count(sessionsCount) },
          { name: 'Test device', value: <TestDevice applicationId={applicationId} id={id} /> },
        ]}
      />
    </Panel>
  );
}
