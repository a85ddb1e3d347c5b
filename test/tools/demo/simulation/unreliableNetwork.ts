// The network of one simulated device: at times it is offline, loses a request or a response, or sends an upload twice.
import type { SentLog } from '../answers/sentLog.ts';
import type { RandomSource } from './randomSource.ts';
import type { Tally } from './tally.ts';

const mischief = [
  { kind: 'request_lost', probability: 0.02 },
  { kind: 'reply_lost', probability: 0.04 },
  { kind: 'sent_twice', probability: 0.05 },
  { kind: 'repeated_later', probability: 0.03 },
] as const;

type Mischief = (typeof mischief)[number]['kind'] | 'none';

/** How the last request failed. The wait after a simulated failure is simulated, the wait after a real one is real. */
export type Failure = 'none' | 'simulated' | 'real';

export interface NetworkParts {
  random: RandomSource;
  tally: Tally;
  log: SentLog;
  /** Called when the response to a copy differs from the response to the original. */
  onProblem(problem: string): void;
}

export class UnreliableNetwork {
  online = true;
  lastFailure: Failure = 'none';
  readonly #parts: NetworkParts;
  #repeatLater: (() => Promise<Response>) | null = null;

  constructor(parts: NetworkParts) {
    this.#parts = parts;
  }

  async fetch(url: string, init: RequestInit): Promise<Response> {
    if (!this.online) this.#fail('the device is offline');
    const send = (): Promise<Response> => this.#send(url, init);
    const repeat = this.#repeatLater;
    this.#repeatLater = null;
    if (repeat) await this.#sendCopy(repeat);
    const kind = this.#chooseMischief(init.method === 'POST');
    if (kind === 'request_lost') this.#fail('the request was lost');
    if (kind === 'sent_twice') return this.#sendTwice(send);
    const response = await send();
    if (kind === 'repeated_later' && isGood(response)) {
      this.#repeatLater = () => this.#send(url, { ...init, signal: AbortSignal.timeout(30_000) });
    }
    if (kind === 'reply_lost' && isGood(response)) {
      // The service has stored the upload, and the SDK sends it again.
      if (init.method === 'POST') this.#parts.tally.duplicates += 1;
      await response.arrayBuffer();
      this.#fail('the reply was lost');
    }
    return response;
  }

  /** A fetch is not sent twice: the configuration may change in between, and the two responses would differ. */
  #chooseMischief(isUpload: boolean): Mischief {
    let rest = this.#parts.random.next();
    for (const { kind, probability } of mischief) {
      if (rest < probability) return isUpload || kind.endsWith('_lost') ? kind : 'none';
      rest -= probability;
    }
    return 'none';
  }

  #fail(reason: string): never {
    this.lastFailure = 'simulated';
    throw new TypeError(reason);
  }

  async #send(url: string, init: RequestInit): Promise<Response> {
    const { tally } = this.#parts;
    tally.requests += 1;
    const sentAt = Date.now();
    try {
      const response = await fetch(url, init);
      if (response.ok && url.endsWith('/api/v1/session')) this.#note(init, sentAt);
      this.lastFailure = isGood(response) ? 'none' : 'real';
      if (isGood(response)) tally.noteSuccess();
      else if (response.status >= 500) tally.noteFailure(`status ${response.status}`);
      return response;
    } catch (error) {
      this.lastFailure = 'real';
      tally.noteFailure(reasonOf(error));
      throw error;
    }
  }

  #note({ body, headers }: RequestInit, sentAt: number): void {
    const gzip = new Headers(headers).get('content-encoding') === 'gzip';
    this.#parts.log.note(body as Uint8Array, { gzip, sentAt });
  }

  /** Sends the same bytes twice at the same time. Only the first response reaches the device. */
  async #sendTwice(send: () => Promise<Response>): Promise<Response> {
    this.#parts.tally.duplicates += 1;
    const [first, second] = await Promise.allSettled([send(), send()]);
    if (second.status === 'fulfilled') await second.value.arrayBuffer();
    if (first.status === 'rejected') throw first.reason;
    if (second.status === 'fulfilled') this.#compare(first.value.status, second.value.status);
    return first.value;
  }

  async #sendCopy(repeat: () => Promise<Response>): Promise<void> {
    this.#parts.tally.duplicates += 1;
    const response = await repeat().catch(() => null);
    await response?.arrayBuffer();
    if (response) this.#compare(200, response.status);
  }

  #compare(status: number, copyStatus: number): void {
    if (status !== copyStatus && status < 500 && copyStatus < 500) {
      this.#parts.onProblem(`the response to a copy of an upload is ${copyStatus}, to the upload itself ${status}`);
    }
  }
}

/** A 304 is a success too: the configuration has not changed. */
function isGood({ status }: Response): boolean {
  return status < 400;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : String(cause);
}
