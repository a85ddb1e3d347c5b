// The plain records between the wire and the database: the rows of one upload.
import type { components } from '../../generated/openapi.ts';
import { deviceKey } from '../devices/deviceKey.ts';
import {
  type EveryField,
  isUuid,
  lowercaseUuid,
  parseIsoDateTime,
  utcOffsetMinutes,
  uuidOfHex,
} from '../platform/inputRules.ts';
import { byteOf } from '../platform/json/jsonBytes.ts';
import type { Admission } from '../quotas/quotas.ts';

/** Times are Unix seconds with a fraction. JSON is text, so that integers keep their digits. */
export interface Upload {
  device: DeviceRow;
  /** In the order of the body. A session may be there twice: the validity of its dates depends on its first arrival. */
  sessions: SessionRow[];
  /** Unique by session and id. */
  events: EventRow[];
  /** Null where the upload was not signed. */
  nonce: NonceRow | null;
  /** Signed so long before its arrival that the service may have forgotten its nonce. */
  mayBeReplay?: boolean;
  /** Only of an upload that a quota counts: the most bytes that it may add, and by whom they are counted. */
  counted?: { mostBytes: number; admission: Admission | null } | null;
}

/**
 * About the characters of JSON in an upload. They bound a batch and the queue in memory, beside their numbers of
 * uploads.
 */
export function uploadSize({ device, events }: Pick<Upload, 'device' | 'events'>): number {
  let size = device.userProperties.length;
  for (const { params } of events) size += params.length;
  return size;
}

export interface DeviceRow {
  key: string;
  applicationId: string;
  id: string;
  userId: string | null;
  properties: string;
  userProperties: string;
  /** The user properties that this upload replaces or removes: null is all of them. */
  droppedProperties: string[] | null;
  /** The time of the upload: `openapi.yaml, "User and device state"`. */
  stateAt: number;
  /** The upload is signed, which proves the device (openapi.yaml, "Look-up in the store"). */
  signed: boolean;
}

export interface SessionRow {
  deviceKey: string;
  applicationId: string;
  id: string;
  globalNumber: number;
  versionNumber: number;
  startedAt: number;
  /** Of the start, as it was sent. */
  utcOffsetMinutes: number;
  finishedAt: number | null;
  /** The user of the upload, and the upload's time. */
  userId: string | null;
  userAt: number;
}

export interface EventRow {
  deviceKey: string;
  applicationId: string;
  sessionId: string;
  id: string;
  /** Among the events of its session in its upload, from 0. */
  place: number;
  system: boolean;
  name: string;
  occurredAt: number;
  /** Of two values of one name the last holds. */
  params: WrittenObject;
  outcomes: readonly CampaignOutcome[];
  /** The user property that this event removes once it is stored, unless its upload sets it. */
  removesProperty: string | null;
}

export interface NonceRow {
  applicationId: string;
  nonce: string;
  bodyHash: Buffer;
}

export type UploadOutcome = 'stored' | 'repeated' | 'nonce_reused' | 'over_quota' | 'node_away';

/** Session ids are unique only within a device, event ids only within a session. NUL joins them: no id may hold it. */
export function sessionKey(row: { deviceKey: string }, sessionId: string): string {
  return `${row.deviceKey}\0${sessionId}`;
}

export function eventKey(row: EventRow): string {
  return `${row.deviceKey}\0${row.sessionId}\0${row.id}`;
}

/**
 * Merges a session that comes twice (openapi.yaml, "How sessions merge"). `other` arrived later, which counts only for users
 * of one time. `receivedAt` is the session's first arrival. `upsertSessions` does the same in SQL. Field by field: a new
 * field does not compile before it is merged here.
 */
export function mergeSessions(one: SessionRow, other: SessionRow, receivedAt: number): SessionRow {
  const { deviceKey, id, applicationId } = one;
  const start = earlierStart(one, other, receivedAt);
  const user = other.userAt >= one.userAt ? other : one;
  return {
    deviceKey,
    id,
    applicationId,
    globalNumber: Math.min(one.globalNumber, other.globalNumber),
    versionNumber: Math.min(one.versionNumber, other.versionNumber),
    startedAt: start.startedAt,
    utcOffsetMinutes:
      one.startedAt === other.startedAt
        ? Math.min(one.utcOffsetMinutes, other.utcOffsetMinutes)
        : start.utcOffsetMinutes,
    finishedAt: laterFinish(one.finishedAt, other.finishedAt, receivedAt),
    userId: user.userId,
    userAt: user.userAt,
  };
}

/** Seconds around a session's first arrival between which a date of the session can be true. */
export const truePast = 730 * 86_400;
export const trueFuture = 300;

function canBeTrue(date: number, receivedAt: number): boolean {
  return date >= receivedAt - truePast && date <= receivedAt + trueFuture;
}

function earlierStart(one: SessionRow, other: SessionRow, receivedAt: number): SessionRow {
  const possible = canBeTrue(one.startedAt, receivedAt);
  if (possible !== canBeTrue(other.startedAt, receivedAt)) return possible ? one : other;
  return one.startedAt <= other.startedAt ? one : other;
}

function laterFinish(one: number | null, other: number | null, receivedAt: number): number | null {
  if (one === null || other === null) return one ?? other;
  const possible = canBeTrue(one, receivedAt);
  if (possible !== canBeTrue(other, receivedAt)) return possible ? one : other;
  return Math.max(one, other);
}

/** The same order on every process: batches that lock rows in it never wait for each other in a circle. */
export function inKeyOrder<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows.keys()].sort().map((key) => rows.get(key)!);
}

// Makes the rows of a report: the one place where the wire's shape of a session upload becomes the database's.

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

// Writes properties as the JSON object that is stored of them.

export type PropertyValue = string | number | bigint | boolean;
export type EventParams = ReadonlyMap<string, PropertyValue>;

export interface Property {
  name: string;
  value: PropertyValue;
}

/** A later value of a name replaces an earlier one. */
export function propertyMap(properties: readonly Property[]): EventParams {
  return new Map(properties.map(({ name, value }) => [name, value]));
}

/** The UTF-8 of one JSON object, in bytes that hold other objects as well. */
export class WrittenObject {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;

  constructor(bytes: Buffer, start: number, end: number) {
    this.bytes = bytes;
    this.start = start;
    this.end = end;
  }

  /** In bytes. */
  get length(): number {
    return this.end - this.start;
  }

  toString(): string {
    return this.bytes.toString('utf8', this.start, this.end);
  }
}

/**
 * Writes the properties of an upload, one object behind the other. Of two values of one name both are written, and `jsonb`
 * keeps the last. Written by hand, so that a property named `__proto__` is a property like any other and a bigint keeps its
 * digits. What waits for its transaction is then one object for each event and not each name and value: copying those in
 * memory took the collector a fourth of the service's processor time (docs/decisions/upload-reading.md).
 */
export class PropertyWriter {
  #bytes: Buffer;
  #at = 0;

  /** There is room for `expected` bytes at first. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(expected);
  }

  write(properties: readonly Property[]): WrittenObject {
    let start = this.#at;
    this.#at = this.#members(properties, start);
    while (this.#at > this.#bytes.length) {
      // What was written before stays where it is.
      this.#bytes = Buffer.allocUnsafe(Math.max(this.#bytes.length, 2 * (this.#at - start)));
      start = 0;
      this.#at = this.#members(properties, start);
    }
    return new WrittenObject(this.#bytes, start, this.#at);
  }

  /** Returns where the object ends. That is behind the bytes where they have no room for it: nothing is written there. */
  #members(properties: readonly Property[], start: number): number {
    const bytes = this.#bytes;
    let at = start;
    bytes[at++] = byteOf.openBrace;
    for (let index = 0; index < properties.length; index++) {
      const { name, value } = properties[index]!;
      if (index > 0) bytes[at++] = byteOf.comma;
      at = writeString(bytes, at, name);
      bytes[at++] = byteOf.colon;
      at = typeof value === 'string' ? writeString(bytes, at, value) : writeAscii(bytes, at, String(value));
    }
    bytes[at++] = byteOf.closeBrace;
    return at;
  }
}

/** Most strings are short and need no escape. JSON.stringify writes the others, lone surrogates included. */
function writeString(bytes: Buffer, start: number, text: string): number {
  let at = start;
  bytes[at++] = byteOf.quote;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const isPlain = code >= byteOf.space && code < 0x80 && code !== byteOf.quote && code !== byteOf.backslash;
    if (!isPlain) return writeUtf8(bytes, start, JSON.stringify(text));
    bytes[at++] = code;
  }
  bytes[at++] = byteOf.quote;
  return at;
}

function writeAscii(bytes: Buffer, start: number, text: string): number {
  let at = start;
  for (let index = 0; index < text.length; index++) bytes[at++] = text.charCodeAt(index);
  return at;
}

function writeUtf8(bytes: Buffer, start: number, text: string): number {
  const length = Buffer.byteLength(text);
  if (start + length <= bytes.length) bytes.write(text, start);
  return start + length;
}

/** The object of one list alone, as a text. */
export function propertyJson(properties: readonly Property[]): string {
  return new PropertyWriter(64 + 32 * properties.length).write(properties).toString();
}

// Handles system events (openapi.yaml, "Events"): counts outcomes of campaigns and removes properties.

export interface CampaignOutcome {
  campaignId: string;
  /** `shown`, `resolved:<result>` or `unavailable:<reason>`. */
  outcome: string;
}

const results = new Set(['Completed', 'Dismissed', 'Unavailable', 'SkippedNoPresenter', 'SkippedNoContinuation']);
const unavailableReasons = new Set(['TimedOut', 'PresenterFailed', 'PresenterReported']);

const lookedUp = new Set(['CampaignShown', 'CampaignResolved', 'CustomPropertyChanged']);

/**
 * Whether the two functions below read the parameters of this event. With the map of the parameters an event takes ten
 * times as long.
 */
export function looksUpParams(name: string): boolean {
  return lookedUp.has(name);
}

/** What one system event adds to its campaign's counts. Words that openapi.yaml, "Events" does not list are stored and not counted. */
export function campaignOutcomes(name: string, params: EventParams): CampaignOutcome[] {
  const id = params.get('campaignId');
  if (typeof id !== 'string' || !isUuid(id)) return [];
  const campaignId = id.toLowerCase();
  if (name === 'CampaignShown') return [{ campaignId, outcome: 'shown' }];
  if (name !== 'CampaignResolved') return [];
  const result = params.get('result');
  if (typeof result !== 'string' || !results.has(result)) return [];
  const outcomes = [{ campaignId, outcome: `resolved:${result}` }];
  const reason = params.get('unavailableReason');
  if (result === 'Unavailable' && typeof reason === 'string' && unavailableReasons.has(reason)) {
    outcomes.push({ campaignId, outcome: `unavailable:${reason}` });
  }
  return outcomes;
}

/** The custom property that a CustomPropertyChanged event names and removes; null when the event has a `newValue`. */
export function removedProperty(name: string, params: EventParams): string | null {
  if (name !== 'CustomPropertyChanged' || params.has('newValue')) return null;
  const key = params.get('key');
  return typeof key === 'string' ? key : null;
}

// A lossless short form of the ids that SDKs make: nearly all are UUIDs, and each id is stored twice, in its row and in a key.

const form = { text: 0, lowercaseUuid: 1, uppercaseUuid: 2 };
/** The first byte of nearly all packed ids; the sixteen bytes of the UUID follow. */
export const lowercaseUuidTag = form.lowercaseUuid;

/** One byte for the form, then the 16 bytes of a UUID in one letter case, or the UTF-8 text of any other id. */
export function packId(id: string): Buffer {
  if (id.length === 36) {
    if (lowercaseUuid.test(id)) return packUuid(form.lowercaseUuid, id);
    const lower = id.toLowerCase();
    if (lowercaseUuid.test(lower) && lower.toUpperCase() === id) return packUuid(form.uppercaseUuid, id);
  }
  const text = Buffer.from(id, 'utf8');
  return Buffer.concat([Buffer.of(form.text), text]);
}

function packUuid(tag: number, id: string): Buffer {
  const packed = Buffer.allocUnsafe(17);
  packed[0] = tag;
  packed.write(hexOf(id), 1, 'hex');
  return packed;
}

export function unpackId(packed: Uint8Array): string {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  if (bytes[0] === form.text) return bytes.toString('utf8', 1);
  const id = uuidOfHex(bytes.toString('hex', 1));
  return bytes[0] === form.uppercaseUuid ? id.toUpperCase() : id;
}

/** The digits of a UUID, cut by position: a search for the hyphens takes twice as long. */
function hexOf(id: string): string {
  return `${id.slice(0, 8)}${id.slice(9, 13)}${id.slice(14, 18)}${id.slice(19, 23)}${id.slice(24)}`;
}

// Writes Unix seconds as the text of a timestamptz, to the nearest microsecond: to_timestamp may be one or two off.

const secondsOfDay = 86_400;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
/** Nearly all events at one time are of one day, and Date's own text takes ten times as long. */
let lastDay = { day: 0, text: '1970-01-01' };

/** `seconds` within the years 1 to 9999, with a fraction or without. */
export function timestampText(seconds: number): string {
  const whole = Math.floor(seconds);
  const micros = Math.round((seconds - whole) * 1e6);
  // Rounded up to the next second.
  if (micros === 1e6) return timestampText(whole + 1);
  const day = Math.floor(whole / secondsOfDay);
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * secondsOfDay * 1_000).toISOString().slice(0, 10) };
  const time = whole - day * secondsOfDay;
  const [hours, minutes] = [Math.floor(time / 3_600), Math.floor(time / 60) % 60];
  const clock = `${lastDay.text}T${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[time % 60]}`;
  return micros === 0 ? `${clock}Z` : `${clock}.${String(micros).padStart(6, '0')}Z`;
}
