// The rules of the judge as pure functions over recordings made by hand: what keeps each, what breaks it, what shows nothing.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { anUpload, aRecording, aRequest, begin, made, madeSession } from '../support/recordings.ts';
import type { Recorded } from '../tools/judge/recording.ts';
import { rules } from '../tools/judge/rules/allRules.ts';

test('every rule of docs/sdk/rules.md has a check, and no check is without a rule', () => {
  const page = readFileSync(projectFile('docs/sdk/rules.md'), 'utf8');
  const ids = [...page.matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, id]) => id!);
  expect(Object.keys(rules).sort()).toEqual(ids.sort());
});

test.each(Object.keys(rules))('%s is not seen in an empty recording', (rule) => {
  expect(rules[rule]!(aRecording())).toEqual({ verdict: 'notSeen' });
});

const event = (name: string, params: Record<string, string> = {}, type: 'system' | 'custom' = 'system') =>
  made(name, 0, { type, params: Object.entries(params).map(([key, value]) => ({ name: key, value })) });
const withEvents = (...events: ReturnType<typeof made>[]) => [madeSession({ events })];
const many = (count: number) => Array.from({ length: count }, (_, index) => index);
const failed = (at: number, retryAfter?: string) => {
  const headers: Record<string, string> = retryAfter ? { 'Retry-After': retryAfter } : {};
  return aRequest({ at, status: 503, fields: { response: { status: 503, headers, body: null } } });
};
const second = (fields: object = {}) =>
  madeSession({ id: 's-2', number: { global: 2, version: 2 }, events: [made('c')], ...fields });
const refusal = (reason: string, at: number, nonce: string) =>
  anUpload({ at, status: 403, nonce, fields: { response: { status: 403, headers: {}, body: { reason } } } });
const fetched = (at: number, headers: [string, string][] = []) =>
  aRequest({
    at,
    fields: { operation: 'getCampaigns', headers, response: { status: 200, headers: { ETag: '"t"' }, body: {} } },
  });
const ofA = { ...madeSession({ events: [made('a')] }) };
const ofB = { ...madeSession({ events: [made('b')] }) };

const broken: [string, Recorded[]][] = [
  ['api-key-on-every-request', [aRequest({ at: 0, fields: { headers: [['X-Api-Key', 'sk_secret']] } })]],
  ['sign-every-upload', [aRequest({ at: 0, fields: { signature: 'signature_missing' } })]],
  ['valid-body', [aRequest({ at: 0, fields: { faults: [{ path: 'user', message: 'is required' }] } })]],
  ['one-upload-at-a-time', [anUpload({ at: 0, fields: { endedAt: 2_000 } }), anUpload({ at: 1 })]],
  ['batch-events', many(10).map((at) => anUpload({ at, sessions: withEvents(made(`e ${at}`)) }))],
  [
    'resend-after-lost-reply',
    [anUpload({ at: 0, fields: { loss: 'lost' } }), anUpload({ at: 1, sessions: [second()] })],
  ],
  ['retry-same-bytes', [anUpload({ at: 0, status: 503 }), anUpload({ at: 1, nonce: 'other' })]],
  ['sign-again-when-stale', [anUpload({ at: 0, status: 503, nonce: 'n' }), anUpload({ at: 130, nonce: 'n' })]],
  ['backoff-grows', [failed(0), failed(0.6), failed(1.2)]],
  ['retry-after-obeyed', [failed(0, '5'), failed(4)]],
  ['backoff-across-flushes', [failed(0), failed(1), failed(3), failed(7), failed(15), failed(16)]],
  ['stop-after-refusal', [anUpload({ at: 0, status: 404 }), anUpload({ at: 1 })]],
  [
    'stop-after-refusal',
    [anUpload({ at: 0, status: 404 }), anUpload({ at: 1 }), fetched(2), anUpload({ at: 3, sessions: [second()] })],
  ],
  ['keep-until-2xx', [anUpload({ at: 0, status: 404 }), anUpload({ at: 1, sessions: [second()] })]],
  [
    'keep-until-2xx',
    [anUpload({ at: 0 }), anUpload({ at: 1, sessions: [second({ number: { global: 3, version: 3 } })] })],
  ],
  ['halve-on-413', [anUpload({ at: 0, status: 413 }), anUpload({ at: 1 })]],
  ['halve-on-413', [anUpload({ at: 0, status: 413 }), anUpload({ at: 1, sessions: [ofA] })]],
  [
    'same-session-fields-in-halves',
    [anUpload({ at: 0, status: 413 }), anUpload({ at: 1, sessions: [{ ...ofA, number: { global: 2, version: 1 } }] })],
  ],
  [
    'take-out-named-fields',
    [
      anUpload({
        at: 0,
        status: 422,
        refused: ['sessions[0].events[0].name'],
        sessions: withEvents(made('a'), made('b'), made('c')),
      }),
      anUpload({ at: 1, sessions: [ofB] }),
    ],
  ],
  [
    'no-422-twice',
    [anUpload({ at: 0, status: 422, refused: ['sessions[0].events[0].id'] }), anUpload({ at: 1, sessions: [ofA] })],
  ],
  [
    'repeat-full-list',
    [
      anUpload({ at: 0, status: 422, refused: many(100).map((index) => `sessions[0].events[0].params[${index}]`) }),
      anUpload({ at: 1, status: 422, refused: ['sessions[0].events[0].name'], sessions: [ofB] }),
    ],
  ],
  [
    'hold-on-required-device-field',
    [anUpload({ at: 0, status: 422, refused: ['device.properties.deviceModel'] }), anUpload({ at: 1 })],
  ],
  [
    'resign-once-on-wrong-clock',
    [refusal('timestamp_out_of_window', 0, 'n'), refusal('timestamp_out_of_window', 0.1, 'n')],
  ],
  ['resign-once-on-nonce-reused', [refusal('nonce_reused', 0, 'n'), anUpload({ at: 0.1, nonce: 'n' })]],
  [
    'offset-kept-within-two-seconds',
    [anUpload({ at: 0 }), anUpload({ at: 1 }), anUpload({ at: 2, sessions: withEvents(made('c', 2), made('d', 1)) })],
  ],
  ['restamp-unsent-events', [anUpload({ at: 0, sessions: withEvents(made('a', 7_200)) })]],
  ['timestamp-never-back', [anUpload({ at: 0 }), anUpload({ at: 1, timestamp: begin - 5 })]],
  [
    'session-until-finished',
    [
      anUpload({ at: 0 }),
      anUpload({ at: 1, sessions: [second()] }),
      anUpload({ at: 2, sessions: [second({ id: 's-3', number: { global: 3, version: 3 } })] }),
    ],
  ],
  ['session-started-first', [anUpload({ at: 0 })]],
  [
    'finish-lost-session',
    [
      anUpload({ at: 0 }),
      anUpload({
        at: 9,
        fields: { scene: 'process killed' },
        sessions: [madeSession({ finishDate: new Date((begin + 9) * 1_000).toISOString() })],
      }),
    ],
  ],
  ['event-ids-unique', [anUpload({ at: 0, sessions: withEvents(made('a'), made('a', 1)) })]],
  [
    'shown-before-mirror',
    [
      anUpload({
        at: 0,
        sessions: withEvents(
          event('Opened', {}, 'custom'),
          event('EventTriggered', { sourceEvent: 'Opened' }),
          event('CampaignShown', { source: 'Opened' }),
        ),
      }),
    ],
  ],
  ['timestamp-equals-date', [anUpload({ at: 0, sessions: withEvents(made('a', 0, { timestamp: begin + 1 })) })]],
  [
    'timestamp-equals-date',
    [anUpload({ at: 0, sessions: withEvents(made('a', 0, { date: '2026-11-25T12:00:00+02' })) })],
  ],
  ['whole-state-first', [anUpload({ at: 0, user: { lastSyncTS: begin } })]],
  ['delta-from-last-200', [anUpload({ at: 0 }), anUpload({ at: 1, user: { lastSyncTS: begin + 1 } })]],
  [
    'delta-names-removed',
    [
      anUpload({
        at: 0,
        sessions: withEvents(event('CustomPropertyChanged', { key: 'plan' }), {
          ...event('CustomPropertyChanged', { key: 'plan', newValue: 'a' }),
          id: 'second',
        }),
      }),
    ],
  ],
  ['session-of-one-user', [anUpload({ at: 0, user: { id: 'ann' } }), anUpload({ at: 1, user: { id: 'bob' } })]],
  [
    'session-of-one-user',
    [
      anUpload({ at: 0, user: { id: 'ann' } }),
      anUpload({ at: 1, user: { id: 'bob' }, sessions: withEvents(event('Opened', {}, 'custom')) }),
    ],
  ],
  ['fetch-events-recorded', [fetched(0), fetched(1), anUpload({ at: 2 })]],
  [
    'attribution-same-bytes',
    [
      aRequest({ at: 0, status: 503, fields: { operation: 'reportAttribution', body: 'one' } }),
      aRequest({ at: 1, fields: { operation: 'reportAttribution', body: 'two' } }),
    ],
  ],
  [
    'transactions-rest-after-422',
    [
      aRequest({
        at: 0,
        status: 422,
        fields: {
          operation: 'reportStoreTransactions',
          json: { transactions: [{ id: 'one' }, { id: 'two' }] },
          response: { status: 422, headers: {}, body: { fields: [{ path: 'transactions[0].id', message: 'no' }] } },
        },
      }),
    ],
  ],
];

test.each(broken)('%s is broken, and the finding has the request', (rule, requests) => {
  const { verdict, problem, request } = rules[rule]!(aRecording(...requests));
  expect(verdict).toBe('broken');
  expect(problem).toMatch(/\.$/);
  expect(request).toBeDefined();
});

/** The app starts and fetches; the batch of before the refusal goes alone, then the new session. */
const keptBatchFirst = [fetched(1), anUpload({ at: 2 }), anUpload({ at: 3, sessions: [second()] })];

const kept: [string, Recorded[]][] = [
  ['retry-same-bytes', [anUpload({ at: 0, status: 503, nonce: 'n' }), anUpload({ at: 1, nonce: 'n' })]],
  ['backoff-grows', [failed(0), failed(0.5), failed(1.5), failed(3.5)]],
  ['retry-after-obeyed', [failed(0, '5'), failed(5)]],
  ['stop-after-refusal', [anUpload({ at: 0, status: 404 }), anUpload({ at: 1, sessions: [madeSession(), second()] })]],
  ['stop-after-refusal', [anUpload({ at: 0, status: 404 }), ...keptBatchFirst]],
  [
    'hold-on-required-device-field',
    [anUpload({ at: 0, status: 422, refused: ['device.properties.deviceModel'] }), ...keptBatchFirst],
  ],
  [
    'halve-on-413',
    [anUpload({ at: 0, status: 413 }), anUpload({ at: 1, sessions: [ofA] }), anUpload({ at: 2, sessions: [ofB] })],
  ],
  [
    'no-422-twice',
    [anUpload({ at: 0, status: 422, refused: ['sessions[0].events[0].id'] }), anUpload({ at: 1, sessions: [ofB] })],
  ],
  ['timestamp-never-back', [anUpload({ at: 0, timestamp: begin + 7_200 }), anUpload({ at: 1 })]],
  [
    'session-of-one-user',
    [
      anUpload({ at: 0, user: { id: 'ann' } }),
      anUpload({ at: 1, user: { id: 'bob' }, sessions: withEvents(event('ConfigFetchStarted')) }),
      anUpload({ at: 2, user: { id: 'bob' }, sessions: withEvents(event('Opened', {}, 'custom')) }),
    ],
  ],
  ['delta-from-last-200', [anUpload({ at: 0 }), anUpload({ at: 1, user: { lastSyncTS: begin } })]],
];

test.each(kept)('%s is kept', (rule, requests) => {
  expect(rules[rule]!(aRecording(...requests))).toEqual({ verdict: 'kept' });
});
