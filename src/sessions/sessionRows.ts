// Rows from a report: the one place where the wire's shape of a session upload becomes the database's.
import type { components } from '../../generated/openapi.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import { parseIsoDateTime } from './isoDateTime.ts';
import { campaignOutcomes, removedProperty, type EventParams, type PropertyValue } from './systemEvents.ts';
import { eventKey, mergeSessions, type DeviceRow, type EventRow, type SessionRow, type Upload } from './upload.ts';

type Schemas = components['schemas'];
export type SessionReport = Schemas['SessionReport'];

export interface ReportOrigin {
  applicationId: string;
  /** Unix seconds: X-Timestamp of a signed upload, else its arrival. */
  stateAt: number;
}

/** `report` has passed the contract; property values may be bigint where the wire's integer exceeds 2^53 − 1. */
export function sessionRows(report: SessionReport, { applicationId, stateAt }: ReportOrigin): Omit<Upload, 'nonce'> {
  const key = deviceKey(applicationId, report.device.id);
  const sessions = new Map<string, SessionRow>();
  const events = new Map<string, EventRow>();
  for (const session of report.sessions) {
    const row = sessionRow(session, { deviceKey: key, applicationId });
    const known = sessions.get(row.id);
    sessions.set(row.id, known ? mergeSessions(known, row) : row);
    for (const event of session.events ?? []) {
      const eventRow = rowOfEvent(event, row);
      const name = eventKey(eventRow);
      if (!events.has(name)) events.set(name, eventRow);
    }
  }
  const userProperties = propertyMap(report.user.properties ?? []);
  const device = deviceRow(report, { key, applicationId, stateAt, userProperties });
  return { device, sessions: [...sessions.values()], events: [...events.values()] };
}

function deviceRow(
  { device, user }: SessionReport,
  origin: { key: string; applicationId: string; stateAt: number; userProperties: EventParams },
): DeviceRow {
  const wholeSet = user.properties !== undefined && (user.lastSyncTS ?? null) === null;
  return {
    key: origin.key,
    applicationId: origin.applicationId,
    id: device.id,
    userId: user.id ?? null,
    properties: JSON.stringify(knownProperties(device.properties)),
    userProperties: jsonObject(origin.userProperties),
    droppedProperties: wholeSet ? null : [],
    stateAt: origin.stateAt,
  };
}

/** Unknown fields are accepted and not stored; a field added to the contract and forgotten here does not compile. */
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

function sessionRow(session: Schemas['Session'], owner: { deviceKey: string; applicationId: string }): SessionRow {
  return {
    ...owner,
    id: session.id,
    globalNumber: session.number.global,
    versionNumber: session.number.version,
    startedAt: seconds(session.startDate),
    finishedAt: typeof session.finishDate === 'string' ? seconds(session.finishDate) : null,
  };
}

function rowOfEvent(event: Schemas['SessionEvent'], session: SessionRow): EventRow {
  const params = propertyMap(event.params);
  const system = event.type === 'system';
  return {
    deviceKey: session.deviceKey,
    applicationId: session.applicationId,
    sessionId: session.id,
    id: event.id,
    system,
    name: event.name,
    occurredAt: event.timestamp,
    params: jsonObject(params),
    outcomes: system ? campaignOutcomes(event.name, params) : [],
    removesProperty: system ? removedProperty(event.name, params) : null,
  };
}

function propertyMap(properties: { name: string; value: PropertyValue }[]): Map<string, PropertyValue> {
  return new Map(properties.map(({ name, value }) => [name, value]));
}

/** A Map rather than an object, so that a property named `__proto__` is a property like any other. */
function jsonObject(properties: EventParams): string {
  const members: string[] = [];
  for (const [name, value] of properties) {
    members.push(`${JSON.stringify(name)}:${typeof value === 'bigint' ? value : JSON.stringify(value)}`);
  }
  return `{${members.join(',')}}`;
}

const earliest = -62_135_596_800; // 0001-01-01T00:00:00Z
const latest = 253_402_300_799; // 9999-12-31T23:59:59Z

/** An offset may carry the first and the last day out of the years 1 to 9999, which the admin API could not show. */
function seconds(date: string): number {
  const value = parseIsoDateTime(date);
  if (value === null) throw new Error('a date passed the contract and is none');
  return Math.min(Math.max(value, earliest), latest);
}
