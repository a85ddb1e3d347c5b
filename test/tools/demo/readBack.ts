// How the demo reads a stored device, after all data was sent.
import type { PropertyValue } from './sdk/wire.ts';

export interface StoredSession {
  /** One id for each stored event. */
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
