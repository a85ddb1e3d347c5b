// What a property test of analytics has drawn: devices, sessions and events as their uploads brought them, before any definition.
import type { PropertyValue } from '../../../src/analytics/questions.ts';

/** Microseconds since 1970. As numbers they are exact until 2255. */
export type Micros = number;

export type Properties = Record<string, PropertyValue>;

export interface DrawnEvent {
  name: string;
  system: boolean;
  /** By the device's clock. */
  occurredAt: Micros;
  params: Properties;
}

/** The events that one upload brought, in the order of `events`. */
export interface DrawnUpload {
  arrivedAt: Micros;
  events: DrawnEvent[];
}

export interface DrawnSession {
  /** `DrawnDevice.id` in the same application. */
  device: string;
  /** Unique for a device, and not across devices. */
  id: string;
  userId: string | null;
  startedAt: Micros;
  finishedAt: Micros | null;
  /** In the order of their arrival; at least one, which may have no event. */
  uploads: DrawnUpload[];
}

/** As a device is now. */
export interface DrawnDevice {
  id: string;
  userId: string | null;
  /** By the names of `device.properties`. */
  properties: Properties;
  userProperties: Properties;
  test: boolean;
  /** An upload whose session is no longer there. */
  seenAt?: Micros;
}

/** Another application has the same names, and nothing of it may show. */
export interface DrawnApplication {
  devices: DrawnDevice[];
  sessions: DrawnSession[];
}

export interface Drawn {
  asked: DrawnApplication;
  other: DrawnApplication;
  timeZone: string;
  /** The date around which everything happens: a change of clocks, the end of a year. */
  around: string;
  /** Later than everything that has arrived. */
  now: Micros;
}
