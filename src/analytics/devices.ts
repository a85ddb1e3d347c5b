// query devices: the devices of an application that fit what was asked for, in pages by cursor.
import type { DevicePage, QueryDevicesArgs } from '../../generated/graphql.ts';
import { inputRules } from '../platform/inputRules.ts';
import { findAskedApplication, type AnalyticsNeeds } from './askedApplication.ts';
import { askEngine } from './askEngine.ts';
import { readPage, readSearch, readTimeZone } from './questionInput.ts';
import { deviceCursor } from './reads/deviceList.ts';
import { readDevices } from './reads/devicesRead.ts';
import { readDeviceFilters } from './selectionInput.ts';

type Args = Partial<QueryDevicesArgs> & Pick<QueryDevicesArgs, 'applicationId'>;

/** Throws `validation_failed`, `not_found` (the application), `analytics_unavailable`. */
export async function devices(args: Args, needs: AnalyticsNeeds): Promise<DevicePage> {
  const rules = inputRules();
  const userId = args.userId == null ? null : rules.text('userId', args.userId, 256);
  const search = readSearch(rules, args.search);
  const filters = readDeviceFilters(rules, 'filters', args.filters);
  readTimeZone(rules, 'timeZone', args.timeZone);
  const sort = args.sort ?? 'LAST_SEEN';
  const page = readPage(rules, args, deviceCursor('devices', sort));
  rules.assert();
  const { id } = await findAskedApplication(needs, args.applicationId);
  const { activeSince = null, includeTest } = args;
  const wanted = { userId, search, filters, activeSince, sort, includeTest: includeTest ?? false };
  return askEngine({
    needs,
    path: 'applicationId',
    read: (engine) => readDevices(engine, { applicationId: id, ...wanted, ...page }),
    rowsOf: ({ nodes }) => nodes.length,
  });
}
