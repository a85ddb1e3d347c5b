// query userDevices: the devices that belong or have belonged to one user, in pages by cursor.
import type { DevicePage, QueryUserDevicesArgs } from '../../generated/graphql.ts';
import { inputRules, readExactName } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readPage, readTimeZone } from './questionInput.ts';
import { deviceCursor } from './reads/deviceList.ts';
import { readUserDevices } from './reads/userDevicesRead.ts';

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
