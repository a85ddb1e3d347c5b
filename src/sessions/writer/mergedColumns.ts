// Parts of the upserts of uploadsStore.ts: how stored and new rows are merged, by immutable functions, as Citus demands.
import { raw, sql, type Sql } from '../../platform/database/sql.ts';
import { trueFuture, truePast } from '../upload.ts';

/** As `canBeTrue` of sessions/upload.ts. The difference of two times is immutable, as Citus demands; their sum is not. */
const possible = (date: string, arrival: string): Sql =>
  sql`(${raw(arrival)} - ${raw(date)} BETWEEN interval '-${raw(String(trueFuture))} seconds' AND interval '${raw(String(truePast))} seconds')`;

const [sentStart, storedStart] = ['excluded.started_at', 's.started_at'].map((date) => possible(date, 's.received_at'));
const takesStart = sql`CASE WHEN ${sentStart} = ${storedStart}
        THEN excluded.started_at < s.started_at ELSE ${sentStart} END`;

/** A session may last for days after its first arrival, so a finish is measured at the arrival of its own upload. */
const sentFinish = possible('excluded.finished_at', 'excluded.received_at');
const storedFinish = sql`coalesce(s.finish_possible, ${possible('s.finished_at', 's.received_at')})`;

/** What is said of a finish that is null is null: then the other finish holds. */
export const mergedDates = sql`started_at = CASE WHEN ${takesStart} THEN excluded.started_at ELSE s.started_at END,
      utc_offset_minutes = CASE
        WHEN excluded.started_at = s.started_at THEN least(s.utc_offset_minutes, excluded.utc_offset_minutes)
        WHEN ${takesStart} THEN excluded.utc_offset_minutes ELSE s.utc_offset_minutes END,
      finished_at = CASE
        WHEN ${sentFinish} <> ${storedFinish}
          THEN CASE WHEN ${storedFinish} THEN s.finished_at ELSE excluded.finished_at END
        ELSE greatest(s.finished_at, excluded.finished_at) END,
      finish_possible = coalesce(${sentFinish} OR ${storedFinish}, ${sentFinish}, ${storedFinish})`;

/** Without a time the user is not taken. */
export const mergedUser = sql`user_id = CASE
        WHEN excluded.user_at IS NULL OR excluded.user_at < s.user_at THEN s.user_id ELSE excluded.user_id END,
      user_at = greatest(s.user_at, excluded.user_at)`;

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
