// What a signed payload says of itself before it is verified (pure): the environment and the app's number. Bounds the verification.
import type { StoreEnvironment } from './storeClient.ts';

export interface ClaimedApp {
  environment: StoreEnvironment;
  appId: number | null;
}

/** The store's certificates take 1 to 2 kB each in base64. Parsing one takes time that grows with its length. */
const longestCertificate = 8_192;
const contentFields = ['data', 'summary', 'externalPurchaseToken', 'appData'] as const;

type Json = Record<string, unknown>;

/**
 * Null for text that the store cannot have signed: not three parts, another algorithm, not three certificates of a
 * certificate's length, or no JSON objects. It costs two parsings of JSON, and no cryptography.
 */
export function claimedApp(signedPayload: string): ClaimedApp | null {
  const parts = signedPayload.split('.', 4);
  if (parts.length !== 3) return null;
  const [header, payload] = parts.slice(0, 2).map(readPart);
  if (!header || !payload || !isStoreHeader(header)) return null;
  const name = contentFields.find((field) => payload[field]);
  const content = (name === undefined ? undefined : payload[name]) as Json | undefined;
  const appId = content?.['appAppleId'];
  return {
    environment: isSandbox(name, content) ? 'SANDBOX' : 'PRODUCTION',
    appId: typeof appId === 'number' ? appId : null,
  };
}

function readPart(part: string): Json | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}

function isStoreHeader({ alg, x5c }: Json): boolean {
  if (alg !== 'ES256' || !Array.isArray(x5c) || x5c.length !== 3) return false;
  return x5c.every((one) => typeof one === 'string' && one.length <= longestCertificate);
}

/** An external purchase names no environment: its id tells. */
function isSandbox(name: string | undefined, content: Json | undefined): boolean {
  if (name !== 'externalPurchaseToken') return content?.['environment'] === 'Sandbox';
  const id = content?.['externalPurchaseId'];
  return typeof id === 'string' && id.startsWith('SANDBOX');
}
