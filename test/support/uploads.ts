// Builders of session uploads and of their signature headers.
import { randomBytes, randomUUID } from 'node:crypto';
import type { components } from '../../generated/openapi.ts';
import { signatureOf } from '../../src/platform/signature.ts';

type Schemas = components['schemas'];
export type SessionReport = Schemas['SessionReport'];
export type Session = Schemas['Session'];
export type SessionEvent = Schemas['SessionEvent'];

export function anEvent(fields: Partial<SessionEvent> = {}): SessionEvent {
  return {
    id: randomUUID(),
    name: 'LevelCompleted',
    type: 'custom',
    timestamp: 1_789_000_010,
    date: '2026-09-10T00:26:50Z',
    params: [{ name: 'level', value: 7 }],
    ...fields,
  };
}

export function aSession(fields: Partial<Session> = {}): Session {
  return {
    id: randomUUID(),
    number: { global: 3, version: 2 },
    startDate: '2026-09-10T02:26:40+02:00',
    finishDate: null,
    events: [anEvent()],
    ...fields,
  };
}

export function aReport(fields: Partial<SessionReport> = {}): SessionReport {
  return { user: {}, device: aDevice(), sessions: [aSession()], ...fields };
}

export function aDevice(id: string = randomUUID()): SessionReport['device'] {
  return {
    id,
    properties: {
      sdkVersionNormalized: 5_002,
      osVersionNormalized: 18_001_000,
      appVersionNormalized: 2_014_003,
      appInstallVersionNormalized: 2_000_000,
      platform: 'iOS',
      deviceModel: 'Phone 15',
      vendorIdentifier: 'vendor-1',
      installDatetime: 1_760_000_000,
    },
  };
}

export interface Signing {
  timestamp?: number;
  nonce?: string;
}

/** The API key's header and the three signature headers for a body that is sent as these bytes. */
export function signedHeaders(
  key: { public: string; secret: string },
  body: Buffer,
  { timestamp = Math.floor(Date.now() / 1000), nonce = randomBytes(16).toString('base64url') }: Signing = {},
): Record<string, string> {
  const signature = signatureOf(key.secret, { publicKey: key.public, timestamp: String(timestamp), nonce, body });
  return { 'X-Api-Key': key.public, 'X-Timestamp': String(timestamp), 'X-Nonce': nonce, 'X-Signature': signature };
}

export function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
