// Parts of the upserts of uploadsStore.ts: how stored and new rows are merged, by immutable functions, as Citus demands.
import { raw, sql, type Sql } from '../../platform/database/sql.ts';
import { trueFuture, truePast } from '../upload.ts';

/** As `canBeTrue` of sessions/upload.ts. The difference of two times is immutable, as Citus demands; their sum is not. */
const possible = (date: string): Sql =>
  sql`(s.received_at - ${raw(date)} BETWEEN interval '-${raw(String(trueFuture))} seconds' AND interval '${raw(String(truePast))} seconds')`;

const takesStart = sql`CASE WHEN ${possible('excluded.started_at')} = ${possible('s.started_at')}
        THEN excluded.started_at < s.started_at ELSE ${possible('excluded.started_at')} END`;

export const mergedDates = sql`started_at = CASE WHEN ${takesStart} THEN excluded.started_at ELSE s.started_at END,
      utc_offset_minutes = CASE
        WHEN excluded.started_at = s.started_at THEN least(s.utc_offset_minutes, excluded.utc_offset_minutes)
        WHEN ${takesStart} THEN excluded.utc_offset_minutes ELSE s.utc_offset_minutes END,
      finished_at = CASE
        WHEN ${possible('excluded.finished_at')} <> ${possible('s.finished_at')}
          THEN CASE WHEN ${possible('s.finished_at')} THEN s.finished_at ELSE excluded.finished_at END
        ELSE greatest(s.finished_at, excluded.finished_at) END`;

/** The most characters of the JSON of `devices.installs`; an install beyond them is not added. */
const installsLimit = 65_536;

/** An install's key in `devices.installs`, from the device properties of this table. */
export const installKey = (table: string): Sql =>
  sql`(${raw(table)}.properties ->> 'installDatetime') || ' ' || (${raw(table)}.properties ->> 'vendorIdentifier')`;

const installTime = (place: 0 | 1, ofTwo: 'least' | 'greatest'): Sql => {
  const path = sql`ARRAY[${installKey('excluded')}, '${raw(String(place))}']`;
  return sql`${path}, ${raw(ofTwo)}(d.installs #> ${path}, excluded.installs #> ${path})`;
};

/** The first time of an install is the earlier one, and its last time the later one. */
export const mergedInstalls = sql`CASE
        WHEN NOT d.installs ? (${installKey('excluded')}) AND length(d.installs::text) > ${raw(String(installsLimit))}
          THEN d.installs
        ELSE jsonb_set(jsonb_set(d.installs || excluded.installs, ${installTime(0, 'least')}),
          ${installTime(1, 'greatest')}) END`;
