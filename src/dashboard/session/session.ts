// The session of this tab: the access token in memory, the refresh token in sessionStorage, shared with other tabs.
import { ApiError } from '../api/apiError.ts';

/** `over`: the service refuses the tokens. The page stays as it is and asks for the password. */
export type SessionState = 'starting' | 'out' | 'in' | 'over';

/** Tokens live 90 minutes; the API asks to refresh about once an hour (schema.graphql, "Sessions"). */
const refreshAfterMillis = 55 * 60_000;

/** Another tab responds within a few milliseconds. A first visit waits so long for its login page. */
const findMillis = 150;

export class Session {
  state: SessionState = 'starting';
  token: string | null = null;
  readonly #exchange: (refreshToken: string) => Promise<Tokens>;
  readonly #tabs: SessionTabs;
  readonly #listeners = new Set<() => void>();
  #takenAt = 0;

  /** `exchange` gives the successor of a refresh token, and throws an `ApiError`. */
  constructor(exchange: (refreshToken: string) => Promise<Tokens>) {
    this.#exchange = exchange;
    this.#tabs = new SessionTabs({
      // A busy tab may respond when this one is at its login page already.
      found: () => this.#become('in'),
      joins: (begun) => this.#joins(begun),
      refreshed: (tokens) => this.#take(tokens),
      ended: () => this.#forget(),
    });
    if (this.#tabs.stored()) this.state = 'in';
    else this.#find();
  }

  begin(begun: Begun): void {
    this.#tabs.begin(begun);
    this.#take(begun);
  }

  end(): void {
    this.#tabs.tellEnd();
    this.#forget();
  }

  /** Whether somebody is logged in, or was until the service refused the tokens. */
  isBegun(): boolean {
    return this.state === 'in' || this.state === 'over';
  }

  isTokenOld(): boolean {
    return this.token === null || Date.now() - this.#takenAt > refreshAfterMillis;
  }

  /** Resolves when there is a token to try again with. While the session is over it waits for the next login. */
  async refresh(): Promise<void> {
    const before = this.token;
    // One tab at a time: two must not both use one refresh token. Another may have refreshed while this one waited.
    await this.#tabs.alone(async () => {
      if (this.token === before || this.isTokenOld()) await this.#refreshOnce();
    });
    if (this.state === 'over') await this.#nextLogin();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #find(): void {
    this.#tabs.find();
    setTimeout(() => {
      if (this.state === 'starting') this.#become('out');
    }, findMillis);
  }

  async #refreshOnce(): Promise<void> {
    const kept = this.#tabs.stored();
    // A session that is over waits for its next login, and has no token meanwhile.
    if (!kept) return this.#become(this.state === 'over' ? 'over' : 'out');
    try {
      const tokens = await this.#exchange(kept.refreshToken);
      this.#tabs.keep({ ...tokens, id: kept.id });
      this.#take(tokens);
    } catch (error) {
      // Without a response the old token stays: the request that needs it says what is wrong.
      if (!(error instanceof ApiError) || error.code !== 'INVALID_TOKEN') return;
      // Nothing is on the page yet: the login page is the better place.
      if (lastUser.id === null) return this.#forget();
      this.token = null;
      this.#tabs.forget();
      this.#become('over');
    }
  }

  /** A tab without a session joins each login, and a tab whose session is over joins that of its user and organization. */
  #joins({ user, organization }: Begun): boolean {
    if (this.state === 'out') return true;
    return this.state === 'over' && user.id === lastUser.id && organization.id === lastUser.organizationId;
  }

  #nextLogin(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.subscribe(() => {
        if (this.state === 'over') return;
        stop();
        resolve();
      });
    });
  }

  #take({ token }: Tokens): void {
    this.token = token;
    this.#takenAt = Date.now();
    this.#become('in');
  }

  #forget(): void {
    this.token = null;
    this.#tabs.forget();
    this.#become('out');
  }

  #become(state: SessionState): void {
    this.state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** Who was logged in on this page last and where, for the login above it and for logins of other tabs. */
export const lastUser: { id: string | null; email: string | null; organizationId: string | null } = {
  id: null,
  email: null,
  organizationId: null,
};

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

/** What tabs share: a new tab takes the session of an open one, and a login, a refresh or a logout in one tab counts in others. */
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

/** An id that nobody else has made: 32 hexadecimal digits. `crypto.randomUUID` is there in secure contexts alone. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
