// The time of the newest event, start or end in the device's newest session, by the clock of the timeline.
import { useQuery } from 'urql';
import {
  DeviceLastActivityDocument,
  type DeviceLastActivityQuery,
} from '../../../../generated/screens/device/graphql.ts';
import { time } from '../../parts/figures.ts';
import { ClockTime } from './ClockTime.tsx';
import type { DevicePart } from './Device.tsx';

export function LastActivity({ applicationId, id, timeZone }: DevicePart) {
  const [{ data, fetching }] = useQuery({ query: DeviceLastActivityDocument, variables: { applicationId, id } });
  if (!data) return fetching ? '…' : '—';
  const newest = data.device?.sessions[0];
  if (!newest) return 'no session';
  return <ClockTime at={time(lastOf(newest), timeZone, 'full')} clock="newest session, device’s clock" />;
}

type Newest = NonNullable<DeviceLastActivityQuery['device']>['sessions'][number];

function lastOf({ startedAt, finishedAt, events }: Newest): string {
  const times = [startedAt, finishedAt ?? startedAt, ...events.map(({ timestamp }) => timestamp)];
  return times.reduce((last, at) => (Date.parse(at) > Date.parse(last) ? at : last));
}
