// The command that sends the first event, signed where a secret is given (openapi.yaml, "Signature of a session request").
import { newId } from '../../api/newId.ts';

const body = (now: Date) => ({
  user: { id: 'user-1', properties: [{ name: 'plan', value: 'free' }] },
  device: {
    id: 'device-1',
    properties: {
      sdkVersionNormalized: 5_002,
      osVersionNormalized: 18_001_000,
      appVersionNormalized: 2_014_003,
      appInstallVersionNormalized: 2_000_000,
      platform: 'iOS',
      deviceModel: 'Phone 15',
      vendorIdentifier: 'vendor-1',
      installDatetime: Math.floor(now.getTime() / 1_000),
    },
  },
  sessions: [
    {
      id: newId(),
      number: { global: 1, version: 1 },
      startDate: now.toISOString(),
      finishDate: null,
      events: [
        {
          id: newId(),
          name: 'LevelCompleted',
          type: 'custom',
          timestamp: now.getTime() / 1_000,
          date: now.toISOString(),
          params: [{ name: 'level', value: 7 }],
        },
      ],
    },
  ],
});

interface Asked {
  baseUrl: string;
  publicKey: string;
  /** Null: without a signature. */
  secret: string | null;
  now: Date;
}

export async function curlCommand(asked: Asked): Promise<string> {
  const { baseUrl, publicKey, now } = asked;
  const text = JSON.stringify(body(now));
  const headers = ['Content-Type: application/json', `X-Api-Key: ${publicKey}`];
  if (asked.secret !== null) headers.push(...(await signature({ ...asked, secret: asked.secret, text })));
  const lines = headers.map((header) => `  -H '${header}' \\`);
  return [`curl -i ${baseUrl}/api/v1/session \\`, ...lines, `  -d '${text}'`].join('\n');
}

type Signed = Omit<Asked, 'secret'> & { secret: string; text: string };

async function signature({ publicKey, secret, text, now }: Signed): Promise<string[]> {
  const timestamp = String(Math.floor(now.getTime() / 1_000));
  const nonce = newId();
  const hash = hex(await crypto.subtle.digest('SHA-256', bytes(text)));
  const signed = ['v1', 'POST', '/api/v1/session', publicKey, timestamp, nonce, hash].join('\n');
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), algorithm, false, ['sign']);
  const value = hex(await crypto.subtle.sign('HMAC', key, bytes(signed)));
  return [`X-Timestamp: ${timestamp}`, `X-Nonce: ${nonce}`, `X-Signature: v1=${value}`];
}

const bytes = (text: string) => new TextEncoder().encode(text);
const hex = (buffer: ArrayBuffer): string =>
  [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
