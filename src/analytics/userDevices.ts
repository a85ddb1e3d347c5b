// query userDevices: the devices that belong or have belonged to one user, in pages by cursor.
import type { DevicePage, QueryUserDevicesArgs } from '../../generated/graphql.ts';
import { inputRules, readExactName } from '../platform/inputRules.ts';
import { type AnalyticsNeeds, askEngine, findAskedApplication } from './askEngine.ts';
import { deviceCursor, type DeviceListResult, readDeviceList } from './devices.ts';
import { sql } from './engine/dialect.ts';
import type { AnalyticsEngine } from './engine/engine.ts';
import { type Page, readPage, readTimeZone } from './questionInput.ts';
import { isAsked } from './reads/units.ts';

type Args = Partial<QueryUserDevicesArgs> & Pick<QueryUserDevicesArgs, 'applicationId' | 'userId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function userDevices(args: Args, needs: AnalyticsNeeds): Promise<DevicePage> {
  const rules = inputRules();
  const userId = readExactName(rules, 'userId', args.userId);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, deviceCursor('userDevices'));
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const includeTest = args.includeTest ?? false;
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readUserDevices(engine, { applicationId: id, userId, includeTest, ...page }),
    rowsOf: ({ nodes }) => nodes.length,
  });
}

// The read of `userDevices`: the devices that have a user now, and those with a session of the user.

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
