// Sends requests to the service under test as an SDK does, and checks every response against openapi.yaml.
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { signatureOf } from '../../../src/platform/signature.ts';
import { assertDocumented, type ContractResponse } from '../../support/documentedResponse.ts';
import { loadPublicDocument, type PublicDocument } from '../../support/publicDocument.ts';

export interface Access {
  baseUrl: string;
  key: string;
  secret: string;
}

export interface Sending {
  method?: string;
  headers?: Record<string, string>;
  body?: Buffer;
}

const timeoutMillis = 30_000;

export class ServiceUnderTest {
  readonly access: Access;
  readonly #document: PublicDocument;

  constructor(access: Access, document: PublicDocument) {
    this.access = access;
    this.#document = document;
  }

  /** `headers` replace the default ones. A header with an empty value is left out. */
  async call(
    operation: string,
    { headers = {}, body, query = '' }: Sending & { query?: string },
  ): Promise<ContractResponse> {
    const { method, path } = this.#document.getOperation(operation)!;
    const all = { 'X-Api-Key': this.access.key, ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers };
    const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const result = await this.raw(path + query, {
      method: method.toUpperCase(),
      headers: given,
      ...(body && { body }),
    });
    assertDocumented(this.#document, operation, result);
    return result;
  }

  /** Sends a signed session upload. */
  session(
    body: Buffer,
    { headers = {}, ...signing }: Signing & Pick<Sending, 'headers'> = {},
  ): Promise<ContractResponse> {
    return this.call('reportSessions', { headers: { ...this.signature(body, signing), ...headers }, body });
  }

  signature(body: Buffer, { timestamp = nowSeconds(), nonce = newNonce() }: Signing = {}): Record<string, string> {
    const { key, secret } = this.access;
    const parts = { publicKey: key, timestamp: String(timestamp), nonce, body };
    return { 'X-Timestamp': parts.timestamp, 'X-Nonce': nonce, 'X-Signature': signatureOf(secret, parts) };
  }

  /** Sends to any path, even to a path that openapi.yaml does not have. The response is not checked. */
  raw(path: string, { method = 'GET', headers = {}, body }: Sending): Promise<ContractResponse> {
    // Joined as text, so that the base URL may have a path, which a proxy removes.
    const url = new URL(this.access.baseUrl.replace(/\/+$/, '') + path);
    const send = url.protocol === 'https:' ? requestTls : request;
    return new Promise((resolve, reject) => {
      const sent = send(url, { method, headers, timeout: timeoutMillis }, (response) => {
        const { statusCode: status = 0 } = response;
        const reading = text(response).then(readJson);
        reading.then(
          (read) => resolve({ status, body: read, headers: response.headers as ContractResponse['headers'] }),
          reject,
        );
      });
      sent.on('timeout', () => sent.destroy(new Error(`no response within ${timeoutMillis / 1_000} s`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }
}

export interface Signing {
  /** Unix seconds. */
  timestamp?: number;
  nonce?: string;
}

export function newNonce(): string {
  return randomBytes(16).toString('base64url');
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

export async function openService(access: Access): Promise<ServiceUnderTest> {
  return new ServiceUnderTest(access, await loadPublicDocument());
}

/** A 304 has no body. A body that is not JSON breaks openapi.yaml, so its beginning is kept for the message. */
function readJson(body: string): unknown {
  try {
    return body === '' ? {} : JSON.parse(body);
  } catch {
    return { notJson: body.slice(0, 200) };
  }
}
