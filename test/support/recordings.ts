// Makes recordings of the judge by hand, for the tests of its rules.
import type { Recorded, Recording, Session, SessionEvent, SessionReport } from '../tools/judge/recording.ts';
import { aDevice } from './uploads.ts';

/** Seconds: the server's time at the start of each recording. */
export const begin = 1_795_600_000;

/** One request of a recording; `at` is in seconds since the start. */
export interface Sent {
  at: number;
  status?: number;
  fields?: Partial<Recorded>;
}

export function aRecording(...requests: Recorded[]): Recording {
  const numbered = requests.map((request, index) => ({ ...request, index }));
  return { publicKey: 'pk', secretKey: 'sk_secret', complete: true, requests: numbered };
}

export function aRequest({ at, status = 200, fields = {} }: Sent): Recorded {
  return {
    ...{
      index: 0,
      arrivedAt: at * 1_000,
      endedAt: at * 1_000,
      serverTime: (begin + at) * 1_000,
      scene: 'by hand',
      round: 0,
    },
    ...{ method: 'POST', target: '/', operation: 'reportSessions' as const, headers: [['X-Api-Key', 'pk']] },
    ...{ body: '', json: null, signature: 'good' as const, faults: [], loss: null, stored: status === 200 },
    ...{ response: { status, headers: {}, body: null } },
    ...fields,
  };
}

export interface SentUpload extends Sent {
  sessions?: Session[];
  user?: SessionReport['user'];
  nonce?: string;
  timestamp?: number;
  refused?: string[];
}

export function anUpload({ sessions = [madeSession()], user = {}, refused = [], ...sent }: SentUpload): Recorded {
  const { at, status, nonce = `nonce ${at}`, timestamp = begin + at } = sent;
  const json = { user, device: { ...aDevice(), id: 'd-1' }, sessions };
  const headers: [string, string][] = [
    ['X-Api-Key', 'pk'],
    ['X-Nonce', nonce],
    ['X-Timestamp', String(timestamp)],
  ];
  const body = refused.length > 0 ? { fields: refused.map((path) => ({ path, message: 'no' })) } : null;
  const response = { status: status ?? 200, headers: {}, body };
  return aRequest({ ...sent, fields: { json, headers, response, body: JSON.stringify(json), ...sent.fields } });
}

export function madeSession(fields: Partial<Session> = {}): Session {
  const startDate = new Date(begin * 1_000).toISOString();
  return {
    id: 's-1',
    number: { global: 1, version: 1 },
    startDate,
    finishDate: null,
    events: [begun(), made('a'), made('b')],
    ...fields,
  };
}

/** The first event of a session. */
export function begun(at = 0, type: 'cold' | 'warm' = 'cold'): SessionEvent {
  const id = `started ${at}`;
  return made(id, at, { name: 'SessionStarted', type: 'system', params: [{ name: 'type', value: type }] });
}

/** An event whose name is its id, `at` seconds after the start. */
export function made(id: string, at = 0, fields: Partial<SessionEvent> = {}): SessionEvent {
  const timestamp = begin + at;
  return {
    id,
    name: id,
    type: 'custom',
    timestamp,
    date: new Date(timestamp * 1_000).toISOString(),
    params: [],
    ...fields,
  };
}
