// What tabs share: a new tab takes the session of an open one, and a login, a refresh or a logout in one tab counts in others.

import { newId } from '../api/newId.ts';

export interface Tokens {
  token: string;
  refreshToken: string;
}

/** What begins a session: a login, a sign-up, another organization. */
export interface Begun extends Tokens {
  user: { id?: string | null };
  organization: { id: string };
}

interface Kept {
  /** The tabs of one login share it. */
  id: string;
  refreshToken: string;
}

type Message =
  | { kind: 'find'; question: string }
  | { kind: 'found'; question: string; kept: Kept }
  | { kind: 'begun'; id: string; begun: Begun }
  | { kind: 'refreshed'; id: string; tokens: Tokens }
  | { kind: 'ended'; id: string };

const storageKey = 'session';

interface Events {
  /** Another tab has responded with its session. */
  found(): void;
  /** Whether this tab joins a session that begins in another one. */
  joins(begun: Begun): boolean;
  refreshed(tokens: Tokens): void;
  ended(): void;
}

export class SessionTabs {
  readonly #channel = new BroadcastChannel('dashboard-session');
  readonly #events: Events;
  /** What this tab has asked the others; null once it has had a session. */
  #question: string | null = null;

  constructor(events: Events) {
    this.#events = events;
    this.#channel.onmessage = ({ data }: MessageEvent<Message>) => this.#receive(data);
  }

  stored(): Kept | null {
    const text = sessionStorage.getItem(storageKey);
    return text === null ? null : (JSON.parse(text) as Kept);
  }

  begin({ token, refreshToken, user, organization }: Begun): void {
    const id = newId();
    this.#store({ id, refreshToken });
    this.#send({ kind: 'begun', id, begun: { token, refreshToken, user, organization } });
  }

  /** The successor of the stored token. */
  keep({ id, token, refreshToken }: Tokens & { id: string }): void {
    this.#store({ id, refreshToken });
    this.#send({ kind: 'refreshed', id, tokens: { token, refreshToken } });
  }

  forget(): void {
    sessionStorage.removeItem(storageKey);
  }

  tellEnd(): void {
    const kept = this.stored();
    if (kept) this.#send({ kind: 'ended', id: kept.id });
  }

  /** Asks the open tabs for their session. */
  find(): void {
    this.#question = newId();
    this.#send({ kind: 'find', question: this.#question });
  }

  async alone(work: () => Promise<void>): Promise<void> {
    // Browsers have locks in secure contexts alone: https, and localhost.
    await (window.isSecureContext ? navigator.locks.request('dashboard-refresh', work) : work());
  }

  #receive(message: Message): void {
    const kept = this.stored();
    if (message.kind === 'find' && kept) this.#send({ kind: 'found', question: message.question, kept });
    if (message.kind === 'found' && message.question === this.#question) this.#join(message.kept);
    if (message.kind === 'begun' && this.#events.joins(message.begun)) this.#follow(message.id, message.begun);
    if (message.kind === 'refreshed' && kept?.id === message.id) this.#follow(message.id, message.tokens);
    if (message.kind === 'ended' && kept?.id === message.id) this.#events.ended();
  }

  #join(kept: Kept): void {
    this.#store(kept);
    this.#events.found();
  }

  #follow(id: string, tokens: Tokens): void {
    this.#store({ id, refreshToken: tokens.refreshToken });
    this.#events.refreshed(tokens);
  }

  #send(message: Message): void {
    this.#channel.postMessage(message);
  }

  #store(kept: Kept): void {
    this.#question = null;
    sessionStorage.setItem(storageKey, JSON.stringify(kept));
  }
}
