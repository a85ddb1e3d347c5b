// The text after `npm start`: the service's URLs, keys to use, and a command that really gets 200.
import { randomBytes } from 'node:crypto';
import { signatureOf } from '../platform/signature.ts';
import type { DemoWorkspace } from './demoWorkspace.ts';

export interface WelcomeFacts extends SampleFacts {
  /** The URL of the private listener. */
  opsUrl: string;
  /** From which pages a browser may call the admin API. */
  origins: readonly string[];
  /** Null: this process serves no dashboard. */
  dashboardUrl: string | null;
}

export interface SampleFacts {
  /** The URL of the public listener. */
  url: string;
  demo: DemoWorkspace;
  /** Whether uploads must be signed. */
  signed: boolean;
  now: Date;
}

export function welcome({ url, opsUrl, origins, dashboardUrl, demo, signed, now }: WelcomeFacts): string {
  const page = dashboardUrl === null ? '' : `\n  Dashboard        ${dashboardUrl}`;
  return `
Campaign and analytics backend
  Base URL         ${url}${page}
  Admin API        ${url}/admin/graphql/
    for pages of   ${origins.join(', ')}
  Documentation    ${opsUrl}/docs
  Application      ${demo.application.name}
    public key     ${demo.key.public}
    secret key     ${demo.key.secret}
  Dashboard login  ${demo.login.email} / ${demo.login.password}

Try it${signed ? ' (signed, good for a day)' : ''}:

${sampleCommand({ url, demo, signed, now })}

`;
}

/** The command gets 200 `{}`. Signed, it is valid for 24 hours. */
export function sampleCommand({ url, demo, signed, now }: SampleFacts): string {
  const body = JSON.stringify(sampleUpload(now));
  const headers = ['Content-Type: application/json', `X-Api-Key: ${demo.key.public}`];
  if (signed) headers.push(...signatureHeaders(demo.key, body, now));
  const lines = headers.map((header) => `  -H '${header}' \\`);
  return [`curl -i ${url}/api/v1/session \\`, ...lines, `  -d '${body}'`].join('\n');
}

function signatureHeaders(key: DemoWorkspace['key'], body: string, now: Date): string[] {
  const timestamp = String(Math.floor(now.getTime() / 1000));
  const nonce = randomBytes(16).toString('base64url');
  const signature = signatureOf(key.secret, { publicKey: key.public, timestamp, nonce, body: Buffer.from(body) });
  return [`X-Timestamp: ${timestamp}`, `X-Nonce: ${nonce}`, `X-Signature: ${signature}`];
}

function sampleUpload(now: Date) {
  const date = now.toISOString();
  const event = { id: 'event-1', name: 'LevelCompleted', type: 'custom', timestamp: now.getTime() / 1000, date };
  return {
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
        installDatetime: 1_760_000_000,
      },
    },
    sessions: [
      {
        id: 'session-1',
        number: { global: 1, version: 1 },
        startDate: date,
        finishDate: null,
        events: [{ ...event, params: [{ name: 'level', value: 7 }] }],
      },
    ],
  };
}
