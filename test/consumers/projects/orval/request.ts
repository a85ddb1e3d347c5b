// Sends the requests of orval's functions to the last connected installation, with its key, and signed if the operation requires that.
import type { SdkSettings } from '../shared/sdkClient.ts';
import { signedRequest } from '../shared/signing.ts';

let settings: SdkSettings | null = null;

export function connect(next: SdkSettings): void {
  settings = next;
}

/** `Answer` is a union over the documented statuses, each with the type of its body. */
export async function request<Answer>(path: string, init: RequestInit): Promise<Answer> {
  if (settings === null) throw new Error('connect() comes first');
  const { baseUrl, publicKey, sign } = settings;
  const plain = new Request(`${baseUrl}${path}`, init);
  plain.headers.set('X-Api-Key', publicKey);
  const response = await fetch(path === '/api/v1/session' ? await signedRequest(plain, sign) : plain);
  const { status, headers } = response;
  const data: unknown = status === 304 ? undefined : await response.json();
  return { status, headers, data } as Answer;
}
