// The read of `userDevices`: the devices that have a user now, and those with a session of the user.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { sql } from '../engine/question.ts';
import type { Page } from '../questionInput.ts';
import { readDeviceList, type DeviceListResult } from './deviceList.ts';
import { isAsked } from './unitOf.ts';

export interface UserDevicesQuestion extends Page {
  applicationId: string;
  includeTest: boolean;
  userId: string;
}

export function readUserDevices(engine: AnalyticsEngine, asked: UserDevicesQuestion): Promise<DeviceListResult> {
  const { userId } = asked;
  const fits = sql`(d.user_id = ${userId}::text OR d.device IN (
    SELECT s.device FROM analytics.sessions s WHERE ${isAsked(asked, 's')} AND s.unit_user = ${userId}::text))`;
  return readDeviceList(engine, { ...asked, name: 'userDevices', fits, sort: 'LAST_SEEN' });
}
