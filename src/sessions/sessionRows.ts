// Makes the rows of a report: the one place where the wire's shape of a session upload becomes the database's.
import type { components } from '../../generated/openapi.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import type { EveryField } from '../platform/everyField.ts';
import { parseIsoDateTime } from '../platform/isoDateTime.ts';
import { propertyJson, propertyMap, PropertyWriter, type EventParams } from '../platform/json/propertyJson.ts';
import { utcOffsetMinutes } from '../platform/utcOffset.ts';
import { campaignOutcomes, looksUpParams, removedProperty } from './systemEvents.ts';
import type { DeviceRow, EventRow, SessionRow, Upload } from './upload.ts';

type Schemas = components['schemas'];
export type SessionReport = EveryField<Schemas['SessionReport'], Record<'user' | 'device' | 'sessions', true>>;
type SentUser = EveryField<Schemas['User'], Record<'id' | 'lastSyncTS' | 'properties', true>>;
type SentDevice = EveryField<Schemas['Device'], Record<'id' | 'properties', true>>;
type SentSession = EveryField<
  Schemas['Session'],
  Record<'id' | 'number' | 'startDate' | 'finishDate' | 'events', true>
>;
/** `date` is `timestamp` once more. */
type SentEvent = EveryField<
  Schemas['SessionEvent'],
  Record<'id' | 'name' | 'type' | 'timestamp' | 'date' | 'params', true>
>;

export interface ReportOrigin {
  applicationId: string;
  /** The upload's time in Unix seconds: `openapi.yaml, "User and device state"`. */
  stateAt: number;
  signed?: boolean;
}

/** `report` has passed the contract. A property value is a bigint where the wire's integer exceeds 2^53 − 1. */
export function sessionRows(
  report: SessionReport,
  { applicationId, stateAt, signed = false }: ReportOrigin,
): Pick<Upload, 'device' | 'sessions' | 'events'> {
  const key = deviceKey(applicationId, report.device.id);
  const owner = { deviceKey: key, applicationId, userId: report.user.id ?? null, userAt: stateAt };
  const sessions: SessionRow[] = [];
  const events: EventRow[] = [];
  const idsOfSession = new Map<string, Set<string>>();
  const writer = new PropertyWriter(expectedParams * numberOfEvents(report));
  for (const session of report.sessions) {
    const row = sessionRow(session, owner);
    sessions.push(row);
    const ids = idsOfSession.get(row.id) ?? new Set<string>();
    idsOfSession.set(row.id, ids);
    for (const event of session.events ?? []) {
      if (ids.has(event.id)) continue;
      events.push(rowOfEvent(event, row, { place: ids.size, writer }));
      ids.add(event.id);
    }
  }
  const device = deviceRow(report, { key, applicationId, stateAt, signed });
  return { device, sessions, events };
}

/** The bytes that the params of most events take at most, as JSON. */
const expectedParams = 80;

function numberOfEvents({ sessions }: SessionReport): number {
  let count = 0;
  for (const { events } of sessions) count += events?.length ?? 0;
  return count;
}

function deviceRow(
  { device, user }: { device: SentDevice; user: SentUser },
  origin: { key: string; applicationId: string; stateAt: number; signed: boolean },
): DeviceRow {
  const wholeSet = user.properties !== undefined && (user.lastSyncTS ?? null) === null;
  return {
    key: origin.key,
    applicationId: origin.applicationId,
    id: device.id,
    userId: user.id ?? null,
    properties: JSON.stringify(knownProperties(device.properties)),
    userProperties: propertyJson(user.properties ?? []),
    droppedProperties: wholeSet ? null : [],
    stateAt: origin.stateAt,
    signed: origin.signed,
  };
}

/** Unknown fields are accepted and not stored. A field that is added to the contract and forgotten here does not compile. */
function knownProperties(sent: Schemas['DeviceProperties']): Required<Schemas['DeviceProperties']> {
  return {
    sdkVersionNormalized: sent.sdkVersionNormalized,
    osVersionNormalized: sent.osVersionNormalized,
    appVersionNormalized: sent.appVersionNormalized,
    appInstallVersionNormalized: sent.appInstallVersionNormalized,
    platform: sent.platform,
    deviceModel: sent.deviceModel,
    vendorIdentifier: sent.vendorIdentifier,
    installDatetime: sent.installDatetime,
    adId: sent.adId ?? null,
    country: sent.country ?? null,
  };
}

type SessionOwner = Pick<SessionRow, 'deviceKey' | 'applicationId' | 'userId' | 'userAt'>;

/**
 * Field by field, as in all code that runs for each upload: Node 20 takes 3 to 20 µs to spread an object into a longer
 * one.
 */
function sessionRow(session: SentSession, owner: SessionOwner): SessionRow {
  return {
    deviceKey: owner.deviceKey,
    applicationId: owner.applicationId,
    id: session.id,
    globalNumber: session.number.global,
    versionNumber: session.number.version,
    startedAt: seconds(session.startDate),
    utcOffsetMinutes: utcOffsetMinutes(session.startDate),
    finishedAt: typeof session.finishDate === 'string' ? seconds(session.finishDate) : null,
    userId: owner.userId,
    userAt: owner.userAt,
  };
}

const noParams: EventParams = new Map();
const noOutcomes: EventRow['outcomes'] = [];

function rowOfEvent(
  event: SentEvent,
  session: SessionRow,
  { place, writer }: { place: number; writer: PropertyWriter },
): EventRow {
  const system = event.type === 'system';
  const values = system && looksUpParams(event.name) ? propertyMap(event.params) : noParams;
  return {
    deviceKey: session.deviceKey,
    applicationId: session.applicationId,
    sessionId: session.id,
    id: event.id,
    place,
    system,
    name: event.name,
    occurredAt: event.timestamp,
    params: writer.write(event.params),
    outcomes: system ? campaignOutcomes(event.name, values) : noOutcomes,
    removesProperty: system ? removedProperty(event.name, values) : null,
  };
}

const earliest = -62_135_596_800; // 0001-01-01T00:00:00Z
const latest = 253_402_300_800 - 2 ** -15; // the last double before the year 10000

/** An offset may move the first or the last day out of the years 1 to 9999, which the admin API could not show. */
function seconds(date: string): number {
  const value = parseIsoDateTime(date);
  if (value === null) throw new Error('a date passed the contract and is none');
  return Math.min(Math.max(value, earliest), latest);
}
