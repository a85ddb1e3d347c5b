// The network between one simulated device and the service: sometimes away, sometimes losing a reply, sometimes sending twice.
import type { RandomSource } from './randomSource.ts';
import type { Tally } from './tally.ts';

const mischief = [
  { kind: 'request_lost', probability: 0.02 },
  { kind: 'reply_lost', probability: 0.04 },
  { kind: 'sent_twice', probability: 0.05 },
  { kind: 'repeated_later', probability: 0.03 },
] as const;

type Mischief = (typeof mischief)[number]['kind'] | 'none';

/** How the last request failed: a simulated failure costs simulated time, one of the service's own costs real time. */
export type Failure = 'none' | 'simulated' | 'real';

export interface NetworkParts {
  random: RandomSource;
  tally: Tally;
  /** Told of an answer to a copy that differs from the answer to the original. */
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
      // The SDK will send it again: the service has it already.
      if (init.method === 'POST') this.#parts.tally.duplicates += 1;
      await response.arrayBuffer();
      this.#fail('the reply was lost');
    }
    return response;
  }

  /** What is fetched is not sent twice: between two fetches the configuration may change, and the answers differ. */
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
    try {
      const response = await fetch(url, init);
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

  /** The same bytes at the same time; only the first answer reaches the device. */
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
      this.#parts.onProblem(`a copy of an upload was answered ${copyStatus}, the upload itself ${status}`);
    }
  }
}

/** 304 is the good answer to a fetch. */
function isGood({ status }: Response): boolean {
  return status < 400;
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? ('code' in cause ? String(cause.code) : cause.message) : String(cause);
}
