// What a quota bounds: unsigned requests of devices that no signed upload has reported, and signed uploads (pure; openapi.yaml, "Quotas").

/** The operations that have quotas of unsigned requests, each its own. */
export const boundOperations = ['reportSessions', 'reportAttribution', 'reportStoreTransactions'] as const;
export type BoundOperation = (typeof boundOperations)[number];

/** Signed uploads of sessions have a quota of bytes alone. */
export const signedSessions = 'signedSessions';

/** Whose quota it is. */
export interface QuotaOwner {
  applicationId: string;
  operation: BoundOperation | typeof signedSessions;
}

export type Unit = 'bytes' | 'devices';
export const units: readonly Unit[] = ['bytes', 'devices'];
/** What requests add: bytes of rows, and device ids of which nothing was stored. */
export type Use = Record<Unit, number>;
/** In a clock hour. Null: no quota. */
export type Quota = Record<Unit, number | null>;

/** `bytes` and `devices` are those of each operation's unsigned requests. */
export interface QuotaSettings extends Quota {
  signedBytes: number | null;
}

export function quotaOf(operation: QuotaOwner['operation'], { bytes, devices, signedBytes }: QuotaSettings): Quota {
  return operation === signedSessions ? { bytes: signedBytes, devices: null } : { bytes, devices };
}

/** The unit of which `more` does not fit beside `use`; null where all of it fits. */
export function lackingUnit(use: Use, more: Use, quota: Quota): Unit | null {
  return units.find((unit) => more[unit] > 0 && use[unit] + more[unit] > (quota[unit] ?? Infinity)) ?? null;
}

/** What is stored of a device. */
export interface Standing {
  known: boolean;
  /** A signed upload has reported it. */
  signed: boolean;
}

/** From 0 to 1, and more where processes have exceeded it together. */
export function usedShare(use: Use, quota: Quota, unit: Unit): number {
  return use[unit] / (quota[unit] ?? Infinity);
}
