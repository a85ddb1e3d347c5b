// Sends one event to a webhook: to an address that has been checked, within a time limit, without following a redirect.
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { withinTime } from '../platform/withinTime.ts';
import type { LookUp, ResolveHost } from './resolveHost.ts';
import { faultOfUrl, isAllowedAddress, type UrlRules } from './webhookUrl.ts';

export interface PostOptions extends UrlRules {
  resolve: ResolveHost;
  timeLimitMillis: number;
}

export interface SentEvent {
  organizationId: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** `word` is `WebhookDelivery.lastError`. */
export class PostFailure extends Error {
  readonly word: 'address' | 'timeout' | 'connection' | 'secret';

  constructor(word: PostFailure['word'], options?: ErrorOptions) {
    super(word, options);
    this.word = word;
  }
}

const mostResponseBytes = 65_536;

/** The status of the response. Throws `PostFailure`, or the reason of `signal`. */
export async function postEvent(event: SentEvent, options: PostOptions, signal: AbortSignal): Promise<number> {
  if (faultOfUrl(event.url, options) !== null) throw new PostFailure('address');
  try {
    return await withinTime(signal, options.timeLimitMillis, (limit) => send(event, options, limit));
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PostFailure) throw error;
    const timedOut = error instanceof Error && error.name === 'TimeoutError';
    throw new PostFailure(timedOut ? 'timeout' : 'connection', { cause: error });
  }
}

function send(
  { organizationId, url: text, headers, body }: SentEvent,
  options: PostOptions,
  signal: AbortSignal,
): Promise<number> {
  // The text may begin with `HTTPS:` or a space.
  const url = new URL(text);
  const { request } = url.protocol === 'https:' ? https : http;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
      sent.destroy();
    };
    // No agent: a kept connection would go to an address of an earlier look-up.
    const lookup = checkedLookup(options, { organizationId, signal });
    const sent = request(url, { method: 'POST', headers, agent: false, lookup });
    signal.addEventListener('abort', abort, { once: true });
    sent.on('error', reject);
    sent.on('close', () => signal.removeEventListener('abort', abort));
    sent.on('response', (response) => void readToEnd(response).then(resolve, reject));
    // A 101 is no response to Node, which closes the connection without an error: the job never ended, and kept its slot.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      resolve(statusCode!);
    });
    sent.end(body);
  });
}

/** The whole response counts: a connection that breaks before its end says nothing certain about the event. */
function readToEnd(response: http.IncomingMessage): Promise<number> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostResponseBytes) return;
      resolve(response.statusCode!);
      response.destroy();
    });
    response.on('end', () => resolve(response.statusCode!));
    response.on('error', reject);
    response.on('close', () => reject(new Error('the response was cut')));
  });
}

/**
 * The socket connects to the addresses that this function has checked: the name is not resolved a second time. One address
 * that is not public refuses the name, because the socket may take any of them.
 */
function checkedLookup(options: PostOptions, lookUp: LookUp): LookupFunction {
  return (host, { all }, done) => {
    options.resolve(host, lookUp).then(
      (found) => {
        const allowed = found.length > 0 && found.every(({ address }) => isAllowedAddress(address, options));
        if (!allowed) done(new PostFailure('address'), '');
        else if (all) done(null, found);
        else done(null, found[0]!.address, found[0]!.family);
      },
      (error: Error) => done(error, ''),
    );
  };
}
