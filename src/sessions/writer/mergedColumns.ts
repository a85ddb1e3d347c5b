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

/** Null for a finish that is null: then the other finish holds. */
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

/** The most characters of the JSON of all installs of a device; an install beyond them is not added. */
const installsLimit = 65_536;

/** An install's key in `devices.installs`, from the device properties of this table. */
const installKey = (table: string): Sql =>
  sql`((${raw(table)}.properties ->> 'installDatetime') || ' ' || (${raw(table)}.properties ->> 'vendorIdentifier'))`;
const [sentKey, presentKey] = [installKey('excluded'), installKey('d')];

/** Made of text: the functions that build JSON are not immutable. */
const times = (first: Sql, last: Sql): Sql => sql`('[' || (${first})::text || ',' || (${last})::text || ']')::jsonb`;
const stateSeconds = sql`date_part('epoch', d.state_at - timestamptz '1970-01-01 00:00:00Z')`;

/** With the present install, unless the JSON has it still, or it is not listed. */
const allInstalls = sql`CASE WHEN d.install_since IS NULL THEN d.installs
          ELSE jsonb_set(d.installs, ARRAY[${presentKey}], ${times(sql`d.install_since`, stateSeconds)}) END`;
const isListed = sql`(d.installs ? ${sentKey} OR length((${allInstalls})::text) <= ${raw(String(installsLimit))})`;
const storedTime = (place: 0 | 1): Sql => sql`(d.installs #>> ARRAY[${sentKey}, '${raw(String(place))}'])::float8`;
const firstTime = sql`least(${storedTime(0)}, excluded.install_since)`;
const lastTime = sql`greatest(${storedTime(1)}, excluded.install_since)`;

/** Nearly always: then no JSON is made (docs/decisions/session-numbers.md). */
const isPresent = sql`d.install_since IS NOT NULL
        AND d.properties ->> 'vendorIdentifier' = excluded.properties ->> 'vendorIdentifier'
        AND d.properties ->> 'installDatetime' = excluded.properties ->> 'installDatetime'`;

/** The first time of an install is the earlier one, and its last time the later one. The present install is not in the JSON. */
export const mergedInstalls = sql`install_since = CASE
        WHEN ${isPresent} THEN least(d.install_since, excluded.install_since)
        WHEN excluded.state_at < d.state_at THEN d.install_since
        WHEN ${isListed} THEN ${firstTime} END,
      installs = CASE
        WHEN ${isPresent} THEN d.installs
        WHEN excluded.state_at >= d.state_at THEN (${allInstalls}) - ${sentKey}
        WHEN ${isListed} THEN jsonb_set(d.installs, ARRAY[${sentKey}], ${times(firstTime, lastTime)})
        ELSE d.installs END`;
