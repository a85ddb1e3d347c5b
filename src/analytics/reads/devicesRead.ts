// The read of `devices`: those that fit what was asked for, in the order of a sort.
import type { AnalyticsEngine } from '../engine/engine.ts';
import { join, sql, type Sql } from '../engine/question.ts';
import type { Dialect } from '../engine/dialect.ts';
import type { Page } from '../questionInput.ts';
import type { Filter } from '../questions.ts';
import { microsOf } from '../reportDays.ts';
import { containsText } from './containsText.ts';
import { readDeviceList, type DeviceListResult, type DeviceRank } from './deviceList.ts';
import { allHold } from './filterCondition.ts';

export interface DevicesQuestion extends Page {
  applicationId: string;
  includeTest: boolean;
  /** The present user; null: any. */
  userId: string | null;
  /** Null: nothing is searched for. */
  search: string | null;
  filters: readonly Filter[];
  activeSince: Date | null;
  sort: DeviceRank;
}

export function readDevices(engine: AnalyticsEngine, asked: DevicesQuestion): Promise<DeviceListResult> {
  return readDeviceList(engine, { ...asked, name: 'devices', fits: fits(engine.dialect, asked) });
}

function fits(dialect: Dialect, { userId, search, filters, activeSince }: DevicesQuestion): Sql {
  const conditions = [allHold(dialect, filters, { devices: 'd' })];
  if (userId !== null) conditions.push(sql`d.user_id = ${userId}::text`);
  if (activeSince !== null) conditions.push(sql`d.last_seen_at >= ${microsOf(activeSince.getTime())}::bigint`);
  if (search !== null) {
    const inUser = sql`coalesce(${containsText(dialect, sql`d.user_id`, search)}, false)`;
    conditions.push(sql`(${containsText(dialect, sql`d.id`, search)} OR ${inUser})`);
  }
  return join(conditions, ' AND ');
}
