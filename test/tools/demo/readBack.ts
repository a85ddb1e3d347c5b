// What the demo asks of the stored data once all is sent: a device as the service has it.
import type { PropertyValue } from './sdk/wire.ts';

export interface StoredSession {
  /** One entry for each stored event. */
  eventIds: string[];
  finished: boolean;
}

export interface StoredDevice {
  sessions: Map<string, StoredSession>;
  userProperties: Map<string, PropertyValue>;
  attributionReports: number;
}

export interface ReadBack {
  /** Null when the service does not know the device. */
  storedDevice(deviceId: string): Promise<StoredDevice | null>;
}
