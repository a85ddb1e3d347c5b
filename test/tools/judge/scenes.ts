// The script: which fault meets which request, and what the app under test has to do meanwhile.
import type { OperationId } from '../../../src/http/publicOperations.ts';
import type { SessionReport } from './recording.ts';

export type Act =
  | { kind: 'serve' }
  | { kind: 'fail'; status: 500 | 503; retryAfterSeconds?: number }
  /** Stored, then the connection is closed without a response. */
  | { kind: 'lose' }
  /** Stored, then the response ends in the middle. */
  | { kind: 'cut' }
  /** Stored, then the response comes after the timeout of the SDK. */
  | { kind: 'slow' }
  | { kind: 'tooLarge' }
  | { kind: 'refuse'; what: 'event' | 'list' | 'property' | 'device' | 'transaction' }
  | { kind: 'nonceReused' }
  | { kind: 'unknownKey' }
  | { kind: 'clockBack' }
  | { kind: 'newRevision' };

/** What the harness does next, before it flushes. It records events each time. */
export type Action =
  | 'record'
  | 'set-property'
  | 'change-property'
  | 'set-again'
  | 'relaunch'
  | 'kill'
  | 'change-user'
  | 'attribution'
  | 'transactions';

export interface Step {
  act: Act;
  action: Action;
  /** Whether the act fits this request; other requests are served meanwhile. */
  fits(report: SessionReport): boolean;
}

export interface Scene {
  name: string;
  operation: OperationId;
  steps: Step[];
}

const step = (act: Act, action: Action = 'record', fits: Step['fits'] = () => true): Step => ({ act, action, fits });
const serve: Act = { kind: 'serve' };
const served = step(serve);

const eventsOf = ({ sessions }: SessionReport) => sessions.flatMap(({ events = [] }) => events);
const several: Step['fits'] = (report) => eventsOf(report).length >= 6;
const hasRemoval: Step['fits'] = (report) =>
  eventsOf(report).some(
    ({ name, params }) => name === 'CustomPropertyChanged' && !params.some((param) => param.name === 'newValue'),
  );
const hasUser: Step['fits'] = ({ user }) => user.id !== null && user.id !== undefined;
const hasProperties: Step['fits'] = ({ user }) => (user.properties ?? []).length > 0;
const severalTransactions = (body: unknown): boolean =>
  ((body as { transactions?: unknown[] }).transactions ?? []).length > 1;

function ofSessions(name: string, ...steps: Step[]): Scene {
  return { name, operation: 'reportSessions', steps };
}

const unavailable = step({ kind: 'fail', status: 503 });
const failed = step({ kind: 'fail', status: 500 });

/** `longWaitSeconds` is a `Retry-After` after which a signature is stale. */
export function script({ longWaitSeconds }: { longWaitSeconds: number }): Scene[] {
  const wait = (retryAfterSeconds: number): Step => step({ kind: 'fail', status: 503, retryAfterSeconds });
  return [
    ofSessions('first uploads', served, served),
    ofSessions('properties', step(serve, 'set-property', hasProperties), step(serve, 'change-property', hasProperties)),
    ofSessions('removal', step(serve, 'set-again', hasRemoval)),
    ofSessions('503 with Retry-After', wait(5), served),
    ofSessions('failures without Retry-After', unavailable, failed, unavailable, failed, unavailable, served),
    ofSessions('response lost after storing', step({ kind: 'lose' }), served),
    ofSessions('response cut', step({ kind: 'cut' }), served),
    ofSessions('slow response', step({ kind: 'slow' }), served),
    ofSessions('413', step({ kind: 'tooLarge' }, 'record', several), served, served),
    ofSessions('422 at one event', step({ kind: 'refuse', what: 'event' }, 'record', several), served),
    ofSessions(
      '422 with a full list',
      step({ kind: 'refuse', what: 'list' }, 'record', several),
      step({ kind: 'refuse', what: 'event' }),
      served,
    ),
    ofSessions(
      '422 at a property',
      step({ kind: 'refuse', what: 'property' }, 'change-property', hasProperties),
      served,
    ),
    ofSessions('nonce reused', step({ kind: 'nonceReused' }), served),
    ofSessions('clock moved', step({ kind: 'clockBack' }), served, served),
    ofSessions('new revision', step({ kind: 'newRevision' }), served, served, served, served),
    ofSessions('process killed', step(serve, 'kill', startsCold), served),
    ofSessions('422 at a field of the device', step({ kind: 'refuse', what: 'device' }), step(serve, 'relaunch')),
    ofSessions('unknown key', step({ kind: 'unknownKey' }), step(serve, 'relaunch')),
    ofSessions('change of user', step(serve, 'change-user', hasUser), served),
    {
      name: 'attribution fails',
      operation: 'reportAttribution',
      steps: [step(unavailable.act, 'attribution'), served],
    },
    {
      name: '422 at a transaction',
      operation: 'reportStoreTransactions',
      steps: [step({ kind: 'refuse', what: 'transaction' }, 'transactions', severalTransactions), served],
    },
    ofSessions('503 with a long Retry-After', wait(longWaitSeconds), served),
    ofSessions('last uploads', served, served, served),
  ];
}

/** A session that begins with this upload, and is a process's first. */
function startsCold(report: SessionReport): boolean {
  return report.sessions.some(({ events = [] }) =>
    events.some(({ name, params }) => name === 'SessionStarted' && params.some(({ value }) => value === 'cold')),
  );
}
