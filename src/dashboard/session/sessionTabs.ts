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
  | { kind: 'find' }
  | { kind: 'found'; kept: Kept }
  | { kind: 'begun'; id: string; begun: Begun }
  | { kind: 'refreshed'; id: string; tokens: Tokens }
  | { kind: 'ended'; id: string };

const storageKey = 'session';
/** Another tab responds within a few milliseconds; a first visit waits so long for its login page. */
const findMillis = 150;

interface Events {
  /** Whether this tab joins a session that begins in another one. */
  joins(begun: Begun): boolean;
  refreshed(tokens: Tokens): void;
  ended(): void;
}

const nobodyFound = (): void => undefined;

export class SessionTabs {
  readonly #channel = new BroadcastChannel('dashboard-session');
  readonly #events: Events;
  #found: (kept: Kept) => void = nobodyFound;

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

  /** Whether this tab has a session: its own, or that of a tab that responds. */
  async find(): Promise<boolean> {
    if (this.stored()) return true;
    return await new Promise((resolve) => {
      const finish = (found: boolean): void => {
        clearTimeout(timer);
        // A later response is for another tab that asks.
        this.#found = nobodyFound;
        resolve(found);
      };
      const timer = setTimeout(() => finish(false), findMillis);
      this.#found = (kept) => {
        if (!this.stored()) this.#store(kept);
        finish(true);
      };
      this.#send({ kind: 'find' });
    });
  }

  async alone(work: () => Promise<void>): Promise<void> {
    // Browsers have locks in secure contexts alone: https, and localhost.
    await (window.isSecureContext ? navigator.locks.request('dashboard-refresh', work) : work());
  }

  #receive(message: Message): void {
    const kept = this.stored();
    if (message.kind === 'find' && kept) this.#send({ kind: 'found', kept });
    if (message.kind === 'found') this.#found(message.kept);
    if (message.kind === 'begun' && this.#events.joins(message.begun)) this.#follow(message.id, message.begun);
    if (message.kind === 'refreshed' && kept?.id === message.id) this.#follow(message.id, message.tokens);
    if (message.kind === 'ended' && kept?.id === message.id) this.#events.ended();
  }

  #follow(id: string, tokens: Tokens): void {
    this.#store({ id, refreshToken: tokens.refreshToken });
    this.#events.refreshed(tokens);
  }

  #send(message: Message): void {
    this.#channel.postMessage(message);
  }

  #store(kept: Kept): void {
    sessionStorage.setItem(storageKey, JSON.stringify(kept));
  }
}
