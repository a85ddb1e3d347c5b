// query userDevices: the devices that belong or have belonged to one user, in pages by cursor.
import type { DevicePage, QueryUserDevicesArgs } from '../../generated/graphql.ts';
import { inputRules, readExactName } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { readPage, readTimeZone } from './questionInput.ts';
import { notYet } from './reads/notYet.ts';

type Args = Partial<QueryUserDevicesArgs> & Pick<QueryUserDevicesArgs, 'applicationId' | 'userId'>;

/** `lastSeenAt` and the id. */
const cursorParts = 2;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function userDevices(args: Args, needs: AnalyticsNeeds): Promise<DevicePage> {
  const rules = inputRules();
  const userId = readExactName(rules, 'userId', args.userId);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const page = readPage(rules, args, cursorParts);
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  return notYet({ applicationId: id, userId, includeTest: args.includeTest ?? false, ...page });
}
