// The rules of the judge over recordings made by hand. Each rule has one SDK with that fault alone, and one that looks like it and is right.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import {
  anUpload,
  aRecording,
  aRequest,
  begin,
  begun,
  made,
  madeSession,
  type SentUpload,
} from '../support/recordings.ts';
import type { Recorded, Session, SessionEvent } from '../tools/judge/recording.ts';
import { rules } from '../tools/judge/rules/allRules.ts';
import { ScenePlayer } from '../tools/judge/scenePlayer.ts';
import { script } from '../tools/judge/scenes.ts';
import { judge, reportPieces, table } from '../tools/judge/verdicts.ts';

describe('judgeRules', () => {
  test('every rule of docs/sdk/rules.md has a check, and no check is without a rule', () => {
    const page = readFileSync(projectFile('docs/sdk/rules.md'), 'utf8');
    const ids = [...page.matchAll(/^\| `([a-z0-9-]+)`/gm)].map(([, id]) => id!);
    expect(Object.keys(rules).sort()).toEqual(ids.sort());
  });

  test.each(Object.keys(rules))('%s is not seen in an empty recording', (rule) => {
    expect(rules[rule]!(aRecording())).toEqual({ verdict: 'notSeen' });
  });

  const system = (name: string, params: Record<string, string> = {}, at = 0) =>
    made(`${name} ${at} ${JSON.stringify(params)}`, at, { ...named(params), name, type: 'system' });
  const named = (params: Record<string, string>) => ({
    params: Object.entries(params).map(([name, value]) => ({ name, value })),
  });
  /** The first session with these events; its first upload begins with `begun()`. */
  const of1 = (...events: SessionEvent[]): Session[] => [madeSession({ events })];
  const iso = (at: number): string => new Date((begin + at) * 1_000).toISOString();
  /** A later session, of a new process unless its events say otherwise. */
  const another = (number: number, at = 0, fields: Partial<Session> = {}): Session =>
    madeSession({
      ...{ id: `s-${number}`, number: { global: number, version: number }, startDate: iso(at) },
      ...{ events: [begun(at), made(`of ${number}`, at)], ...fields },
    });
  const [a, b, c] = [made('a'), made('b'), made('c', 1)];
  const many = (count: number) => Array.from({ length: count }, (_, index) => index);
  const lost = { loss: 'lost' as const };
  const replied = (status: number, headers: Record<string, string> = {}, body: unknown = null) => ({
    response: { status, headers, body },
  });
  const failed = (at: number, retryAfter?: string) =>
    aRequest({ at, status: 503, fields: replied(503, retryAfter ? { 'Retry-After': retryAfter } : {}) });
  const refusal = (reason: string, sent: SentUpload) =>
    anUpload({ ...sent, status: 403, fields: { ...replied(403, {}, { reason }), ...sent.fields } });
  const fetched = (at: number, fields: Partial<Recorded> & { tag?: string } = {}) => {
    const { tag, ...others } = fields;
    const headers: [string, string][] = [
      ['X-Api-Key', 'pk'],
      ...(tag ? [['If-None-Match', tag] as [string, string]] : []),
    ];
    return aRequest({
      at,
      fields: { operation: 'getCampaigns', headers, ...replied(200, { ETag: '"t"' }, {}), ...others },
    });
  };
  const withRevision = (at: number, revision: string) =>
    anUpload({
      at,
      sessions: of1(at === 1 ? begun() : made(`e ${at}`)),
      fields: replied(200, { 'X-Config-Revision': revision }),
    });
  const attribution = (at: number, body: string, status = 200) =>
    aRequest({ at, status, fields: { operation: 'reportAttribution', body } });
  const transactions = (at: number, ids: string[], refused: string[] = []) => {
    const status = refused.length > 0 ? 422 : 200;
    const fields = refused.map((path) => ({ path, message: 'no' }));
    const json = { transactions: ids.map((id) => ({ id })) };
    return aRequest({
      at,
      status,
      fields: { operation: 'reportStoreTransactions', json, ...replied(status, {}, { fields }) },
    });
  };
  const setAgain = (value: string) => [
    begun(),
    system('CustomPropertyChanged', { key: 'plan' }),
    system('CustomPropertyChanged', { key: 'plan', newValue: value }),
  ];
  const plan = (value: string) => ({ properties: [{ name: 'plan', value }] });
  const moved = (at: number) => ({ serverTime: (begin + at + 7_200) * 1_000 });
  const longWait = anUpload({
    ...{ at: 2, status: 503, nonce: 'n', timestamp: begin + 2, sessions: of1(c) },
    fields: replied(503, { 'Retry-After': '60' }),
  });

  interface Pair {
    /** An SDK with this fault alone. */
    fault: Recorded[];
    /** The rules that say the same of it: an event that a 5xx has cost never arrives. */
    also?: string[];
    /** An SDK that looks like it and is right. */
    alike: Recorded[];
  }

  const pairs: Record<string, Pair> = {
    'api-key-on-every-request': {
      fault: [aRequest({ at: 0, fields: { headers: [['X-Api-Key', 'sk_secret']] } })],
      alike: [aRequest({ at: 0, status: 404, fields: { operation: null, headers: [] } }), anUpload({ at: 1 })],
    },
    'sign-every-upload': {
      fault: [refusal('signature_missing', { at: 0, fields: { signature: 'signature_missing' } })],
      alike: [anUpload({ at: 0 }), aRequest({ at: 1, fields: { operation: 'reportAttribution', signature: 'none' } })],
    },
    'sign-bytes-as-sent': {
      fault: [refusal('signature_mismatch', { at: 0, fields: { signature: 'signature_mismatch' } })],
      alike: [refusal('timestamp_out_of_window', { at: 0, fields: { signature: 'timestamp_out_of_window' } })],
    },
    'new-nonce-for-another-body': {
      fault: [anUpload({ at: 0, nonce: 'n' }), anUpload({ at: 1, nonce: 'n', sessions: of1(c) })],
      alike: [anUpload({ at: 0, nonce: 'n', fields: lost }), anUpload({ at: 1, nonce: 'n' })],
    },
    'valid-body': {
      fault: [aRequest({ at: 0, status: 422, fields: { faults: [{ path: 'user', message: 'is required' }] } })],
      alike: [
        anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].name'] }),
        anUpload({ at: 1, sessions: of1(begun(), b) }),
      ],
    },
    'one-upload-at-a-time': {
      fault: [anUpload({ at: 0, fields: { endedAt: 2_000 } }), anUpload({ at: 1, sessions: of1(c) })],
      alike: [anUpload({ at: 0, fields: { endedAt: 2_000 } }), fetched(1), anUpload({ at: 3, sessions: of1(c) })],
    },
    'batch-events': {
      fault: [fetched(0), ...many(10).map((at) => anUpload({ at, sessions: of1(begun(), made(`e ${at}`)) }))],
      alike: [
        fetched(0),
        ...many(10).map((at) => anUpload({ at, sessions: of1(begun(), made(`e ${at}`), made(`f ${at}`)) })),
      ],
    },
    'retry-5xx': {
      fault: [anUpload({ at: 0, status: 503 }), anUpload({ at: 1, sessions: [another(2)] })],
      also: ['keep-until-2xx'],
      alike: [
        anUpload({ at: 0, status: 503 }),
        anUpload({ at: 9, sessions: of1(begun(), a), fields: { round: 1 } }),
        anUpload({ at: 10, sessions: of1(b), fields: { round: 1 } }),
      ],
    },
    'resend-after-lost-reply': {
      fault: [anUpload({ at: 0, fields: lost }), anUpload({ at: 1, sessions: [another(2)] })],
      alike: [anUpload({ at: 0, fields: { loss: 'cut' }, nonce: 'n' }), anUpload({ at: 1, nonce: 'n' })],
    },
    'retry-same-bytes': {
      fault: [anUpload({ at: 0, status: 503 }), anUpload({ at: 1, nonce: 'other' })],
      alike: [
        anUpload({ at: 0, status: 503, nonce: 'n' }),
        anUpload({ at: 1, status: 503, nonce: 'n' }),
        anUpload({ at: 9, sessions: of1(begun(), a, b, c), fields: { round: 1 } }),
      ],
    },
    'sign-again-when-stale': {
      fault: [
        anUpload({ at: 0, status: 503, nonce: 'n', timestamp: begin }),
        anUpload({ at: 130, nonce: 'n', timestamp: begin }),
      ],
      alike: [anUpload({ at: 0, status: 503 }), anUpload({ at: 130 })],
    },
    'backoff-grows': {
      fault: [failed(0), failed(0.6), failed(1.2)],
      alike: [failed(0), aRequest({ at: 0.5 }), failed(0.6), aRequest({ at: 1.1 })],
    },
    'retry-after-obeyed': {
      fault: [failed(0, '5'), failed(4)],
      alike: [failed(0, '5'), failed(5), failed(6, '50'), anUpload({ at: 20, sessions: [another(1, 19)] })],
    },
    'backoff-across-flushes': {
      fault: [failed(0), failed(1), failed(3), failed(7), failed(15), failed(16)],
      alike: [
        ...[failed(0), failed(1), failed(3), failed(7), failed(15), failed(23)],
        anUpload({ at: 30, sessions: [another(1, 29)] }),
      ],
    },
    'stop-after-refusal': {
      fault: [anUpload({ at: 0, status: 404 }), fetched(2)],
      alike: [
        anUpload({ at: 0, status: 404, fields: { endedAt: 500 } }),
        ...[fetched(0.2), fetched(9, { tag: '"t"' })],
        anUpload({ at: 10 }),
        anUpload({ at: 11, sessions: [another(2, 8, { events: [begun(8), ...fetchEvents(8), ...fetchEvents(9)] })] }),
      ],
    },
    'keep-until-2xx': {
      fault: [anUpload({ at: 0, status: 404 }), anUpload({ at: 9, sessions: [another(2, 8)] })],
      alike: [
        anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].name'] }),
        anUpload({ at: 1, sessions: of1(begun(), b) }),
        anUpload({ at: 9, sessions: [another(2, 8)] }),
      ],
    },
    'halve-on-413': {
      fault: [anUpload({ at: 0, status: 413 }), anUpload({ at: 9, fields: { round: 1 } })],
      alike: [
        anUpload({ at: 0, status: 413 }),
        anUpload({ at: 1, sessions: of1(begun(), a) }),
        anUpload({ at: 2, status: 503, sessions: of1(b) }),
        anUpload({ at: 9, sessions: of1(b, c), fields: { round: 1 } }),
      ],
    },
    'same-session-fields-in-halves': {
      fault: [
        anUpload({ at: 0, status: 413 }),
        anUpload({ at: 1, sessions: [madeSession({ events: [begun(), a], number: { global: 2, version: 1 } })] }),
        anUpload({ at: 2, sessions: of1(b) }),
      ],
      alike: [
        anUpload({ at: 0, status: 413 }),
        anUpload({ at: 1, sessions: of1(begun(), a) }),
        anUpload({ at: 9, sessions: [madeSession({ events: [b], finishDate: iso(5) })], fields: { round: 1 } }),
      ],
    },
    'take-out-named-fields': {
      fault: [
        anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].name'], sessions: of1(begun(), a, b, c) }),
        anUpload({ at: 1, sessions: of1(begun(), b) }),
      ],
      alike: [
        anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].name'], sessions: of1(begun(), a, b, c) }),
        anUpload({ at: 1, sessions: of1(begun(), b) }),
        anUpload({ at: 2, sessions: of1(c) }),
      ],
    },
    'send-the-rest': {
      fault: [
        anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].name'] }),
        anUpload({ at: 1, sessions: of1() }),
      ],
      alike: [
        anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].name'] }),
        anUpload({ at: 1, status: 503, nonce: 'n', sessions: of1(begun(), b) }),
        anUpload({ at: 2, nonce: 'n', sessions: of1(begun(), b) }),
      ],
    },
    'no-422-twice': {
      fault: [
        anUpload({ at: 0, status: 422, user: plan('x'), refused: ['user.properties[0].value'] }),
        anUpload({ at: 1 }),
        anUpload({ at: 2, user: plan('x'), sessions: of1(c) }),
      ],
      alike: [
        anUpload({ at: 0, status: 422, user: plan('x'), refused: ['user.properties[0].value'] }),
        anUpload({ at: 1 }),
        anUpload({ at: 2, user: plan('y'), sessions: of1(c) }),
      ],
    },
    'repeat-full-list': {
      fault: [
        anUpload({ at: 0, sessions: of1(begun()) }),
        anUpload({
          at: 1,
          status: 422,
          sessions: of1(a, b),
          refused: many(100).map((at) => `sessions[0].events[0].params[${at}]`),
        }),
        anUpload({ at: 2, status: 422, sessions: of1(b), refused: ['sessions[0].events[0].name'] }),
      ],
      alike: [
        anUpload({ at: 0, sessions: of1(begun()) }),
        anUpload({
          at: 1,
          status: 422,
          sessions: of1(a, b, c),
          refused: many(100).map((at) => `sessions[0].events[0].params[${at}]`),
        }),
        anUpload({ at: 2, status: 422, sessions: of1(b, c), refused: ['sessions[0].events[0].name'] }),
        anUpload({ at: 3, sessions: of1(c) }),
      ],
    },
    'hold-on-required-device-field': {
      fault: [anUpload({ at: 0, status: 422, refused: ['device.properties.deviceModel'] }), anUpload({ at: 1 })],
      alike: [
        anUpload({ at: 0, status: 422, refused: ['device.properties.deviceModel'] }),
        ...[fetched(9), anUpload({ at: 10 }), anUpload({ at: 11, sessions: [another(2, 8)] })],
      ],
    },
    'clock-from-date-header': {
      fault: [anUpload({ at: 0 }), anUpload({ at: 1, timestamp: begin + 61, sessions: of1(c) })],
      alike: [
        anUpload({ at: 0 }),
        anUpload({ at: 1, status: 503, nonce: 'n', timestamp: begin + 1, sessions: of1(c) }),
        anUpload({ at: 61, nonce: 'n', timestamp: begin + 1, sessions: of1(c) }),
      ],
    },
    'resign-once-on-wrong-clock': {
      fault: [
        refusal('timestamp_out_of_window', { at: 0, nonce: 'n' }),
        refusal('timestamp_out_of_window', { at: 0.1, nonce: 'n' }),
      ],
      alike: [
        refusal('timestamp_out_of_window', { at: 0, timestamp: begin - 99_999 }),
        refusal('timestamp_out_of_window', { at: 0.1, fields: moved(0.1) }),
        anUpload({ at: 0.2, timestamp: begin + 7_200, sessions: of1(begun(), a, b, c), fields: moved(0.2) }),
      ],
    },
    'resign-once-on-nonce-reused': {
      fault: [refusal('nonce_reused', { at: 0, nonce: 'n' }), anUpload({ at: 0.1, nonce: 'n' })],
      alike: [refusal('nonce_reused', { at: 0, nonce: 'n' }), anUpload({ at: 0.1, nonce: 'other' })],
    },
    'offset-kept-within-two-seconds': {
      fault: [
        ...[fetched(0), anUpload({ at: 0 }), anUpload({ at: 1, sessions: of1(c) })],
        anUpload({ at: 2, sessions: of1(made('d', 2), made('e', 1)) }),
      ],
      alike: [
        ...[fetched(0), anUpload({ at: 0 }), anUpload({ at: 1, sessions: of1(c) })],
        anUpload({ at: 2, sessions: of1(made('d', 2), made('e', -100)) }),
      ],
    },
    'restamp-unsent-events': {
      fault: [anUpload({ at: 0, sessions: of1(begun(), made('a', 7_200)) })],
      alike: [
        anUpload({ at: 0, status: 503, nonce: 'n', sessions: of1(begun(), made('a', 7_200)) }),
        anUpload({ at: 1, nonce: 'n', sessions: of1(begun(), made('a', 7_200)) }),
        anUpload({ at: 2, sessions: of1(c) }),
      ],
    },
    'timestamp-never-back': {
      fault: [
        anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].name'] }),
        anUpload({ at: 1, timestamp: begin - 5, sessions: of1(begun(), b) }),
      ],
      alike: [refusal('timestamp_out_of_window', { at: 0, timestamp: begin + 7_200 }), anUpload({ at: 1 })],
    },
    'session-until-finished': {
      fault: [
        ...[fetched(0), anUpload({ at: 0 }), anUpload({ at: 1, sessions: [another(2, 1)] })],
        anUpload({ at: 2, sessions: [another(3, 2)] }),
      ],
      alike: [
        ...[
          fetched(0),
          anUpload({ at: 0 }),
          anUpload({ at: 1, sessions: [madeSession({ events: [], finishDate: iso(0) }), another(2, 1)] }),
        ],
        anUpload({ at: 2, sessions: [another(3, 2)] }),
      ],
    },
    'session-started-first': {
      fault: [anUpload({ at: 0, sessions: of1(a, begun()) })],
      alike: [anUpload({ at: 0, sessions: of1(begun(0, 'warm'), a) }), anUpload({ at: 1, sessions: of1(b) })],
    },
    'finish-lost-session': {
      fault: [
        anUpload({ at: 0, sessions: of1(begun(), made('a', 100), made('b', 20)) }),
        anUpload({
          at: 9,
          fields: { scene: 'process killed' },
          sessions: [madeSession({ events: [], finishDate: iso(100) })],
        }),
      ],
      alike: [
        anUpload({ at: 0, sessions: of1(begun(), made('a', 100), made('b', 20)) }),
        anUpload({
          at: 9,
          fields: { scene: 'process killed' },
          sessions: [madeSession({ events: [], finishDate: iso(20) })],
        }),
      ],
    },
    'event-ids-unique': {
      fault: [anUpload({ at: 0, sessions: of1(begun(), made('a'), made('a', 1)) })],
      alike: [
        anUpload({ at: 0, sessions: of1(begun(), made('first', 0, { name: 'Tapped' })) }),
        anUpload({ at: 1, sessions: of1(made('second', 0, { name: 'Tapped' })) }),
      ],
    },
    'shown-before-mirror': {
      fault: [
        anUpload({
          at: 0,
          sessions: of1(
            ...[begun(), a, system('EventTriggered', { sourceEvent: 'a' })],
            system('CampaignShown', { source: 'a' }),
          ),
        }),
      ],
      alike: [
        anUpload({
          at: 0,
          sessions: of1(
            ...[begun(), a, system('CampaignShown', { source: 'a' }), system('EventTriggered', { sourceEvent: 'a' })],
            system('CampaignShown', { source: 'EventTriggered' }),
          ),
        }),
      ],
    },
    'timestamp-equals-date': {
      fault: [anUpload({ at: 0, sessions: of1(begun(), made('a', 0, { date: iso(1) })) })],
      alike: [anUpload({ at: 0, sessions: of1(begun(), made('a', 0, { date: iso(7_200).replace('Z', '+02:00') })) })],
    },
    'whole-state-first': {
      fault: [anUpload({ at: 0, user: { lastSyncTS: begin } })],
      alike: [anUpload({ at: 0 }), anUpload({ at: 1, user: { lastSyncTS: begin }, sessions: of1(c) })],
    },
    'delta-from-last-200': {
      fault: [anUpload({ at: 0 }), anUpload({ at: 1, user: { lastSyncTS: begin + 1 }, sessions: of1(c) })],
      alike: [
        fetched(0),
        anUpload({ at: 0 }),
        anUpload({ at: 1, nonce: 'n', user: { lastSyncTS: begin }, sessions: of1(c), fields: lost }),
        anUpload({ at: 2, nonce: 'n', user: { lastSyncTS: begin }, sessions: of1(c) }),
      ],
    },
    'delta-names-removed': {
      fault: [anUpload({ at: 0, sessions: of1(...setAgain('x')) })],
      alike: [
        anUpload({
          at: 0,
          status: 422,
          user: plan('x'),
          refused: ['user.properties[0].value'],
          sessions: of1(...setAgain('x')),
        }),
        anUpload({ at: 1, user: { properties: [] }, sessions: of1(...setAgain('x')) }),
        anUpload({
          at: 2,
          user: plan('y'),
          sessions: of1(system('CustomPropertyChanged', { key: 'plan', newValue: 'y' }, 2)),
        }),
        anUpload({ at: 3, user: plan('z'), sessions: of1(...setAgain('z').slice(1)) }),
        fetched(4),
      ],
    },
    'whole-state-after-user-change': {
      fault: [
        anUpload({ at: 0, user: { id: 'ann' } }),
        anUpload({ at: 1, user: { id: 'bob', lastSyncTS: begin }, sessions: [another(2, 1)] }),
      ],
      alike: [
        anUpload({ at: 0, user: { id: 'ann' } }),
        anUpload({ at: 1, user: { id: 'bob', lastSyncTS: null }, sessions: [another(2, 1)] }),
      ],
    },
    'session-of-one-user': {
      fault: [anUpload({ at: 0, user: { id: 'ann' } }), anUpload({ at: 1, user: { id: 'bob' }, sessions: of1(c) })],
      alike: [
        anUpload({ at: 0, user: { id: 'ann' } }),
        anUpload({ at: 1, user: { id: 'ann' }, sessions: of1(c), status: 422, refused: ['user.id'] }),
        anUpload({ at: 2, sessions: of1(c) }),
      ],
    },
    'fetch-at-session-start': {
      fault: many(3).map((at) => anUpload({ at, sessions: of1(at === 0 ? begun() : made(`e ${at}`)) })),
      alike: [
        ...[fetched(0), anUpload({ at: 1, sessions: of1(begun(), ...fetchEvents(0)) }), longWait],
        anUpload({ at: 62, nonce: 'n', timestamp: begin + 2, sessions: of1(c) }),
        anUpload({
          at: 63,
          sessions: [another(2, 5, { events: [begun(5, 'warm'), made('late', 40)], finishDate: iso(40) })],
        }),
      ],
    },
    'fetch-config-on-revision': {
      fault: [fetched(0), ...many(5).map((at) => withRevision(at + 1, at === 0 ? 'r-1' : 'r-2'))],
      alike: [
        ...[fetched(0), withRevision(1, 'r-1'), withRevision(2, 'r-2'), withRevision(3, 'r-2')],
        ...[fetched(4, { tag: '"t"' }), withRevision(5, 'r-2'), withRevision(6, 'r-2')],
        anUpload({
          at: 7,
          sessions: of1(...fetchEvents(0), ...fetchEvents(4)),
          fields: replied(200, { 'X-Config-Revision': 'r-2' }),
        }),
      ],
    },
    'if-none-match': {
      fault: [fetched(0), fetched(1)],
      alike: [fetched(0), fetched(1, { tag: '"t"' }), fetched(2, { target: '/other' })],
    },
    'fetch-events-recorded': {
      fault: [
        ...[fetched(0), fetched(9, { tag: '"t"' })],
        anUpload({ at: 20, sessions: of1(begun(), fetchEvents(0)[0], fetchEvents(9)[0], c) }),
      ],
      alike: [
        ...[fetched(0), fetched(9, { tag: '"t"', endedAt: 15_000 }), fetched(16, { tag: '"t"' })],
        anUpload({
          at: 20,
          sessions: [
            madeSession({ events: [begun(), ...fetchEvents(0), fetchEvents(9)[0]], finishDate: iso(12) }),
            another(2, 12, { events: [begun(12, 'warm'), ...fetchEvents(16)] }),
          ],
        }),
      ],
    },
    'attribution-same-bytes': {
      fault: [attribution(0, 'one', 503), attribution(1, 'two')],
      alike: [attribution(0, 'one', 503), attribution(1, 'one'), attribution(2, 'two')],
    },
    'transactions-rest-after-422': {
      fault: [transactions(0, ['one', 'two'], ['transactions[0].id']), transactions(1, ['three'])],
      alike: [transactions(0, ['one', 'two'], ['transactions[0].id']), transactions(1, ['three', 'two'])],
    },
  };

  function fetchEvents(at: number): [SessionEvent, SessionEvent] {
    return [system('ConfigFetchStarted', {}, at), system('ConfigFetchFinished', {}, at)];
  }

  test('each rule has one SDK with that fault alone and one that looks like it and is right', () => {
    expect(Object.keys(pairs).sort()).toEqual(Object.keys(rules).sort());
  });

  const brokenIn = (requests: Recorded[]) =>
    judge(aRecording(...requests)).filter(({ verdict }) => verdict === 'broken');

  test.each(Object.entries(pairs))('%s: an SDK with that fault alone', (rule, { fault, also = [] }) => {
    const broken = brokenIn(fault);
    expect(broken.map((one) => one.rule).sort()).toEqual([rule, ...also].sort());
    const { problem, request } = broken.find((one) => one.rule === rule)!;
    expect(problem).toMatch(/\.$/);
    expect(request).toBeDefined();
  });

  test.each(Object.entries(pairs))('%s: an SDK that looks like it and is right', (rule, { alike }) => {
    expect(brokenIn(alike)).toEqual([]);
    expect(rules[rule]!(aRecording(...alike))).toEqual({ verdict: 'kept' });
  });

  /** More faults of a rule, as SDKs have had them. */
  const more: [string, string, Recorded[]][] = [
    [
      'a clock that is never corrected',
      'resign-once-on-wrong-clock',
      many(2).map((at) =>
        refusal('timestamp_out_of_window', { at: at / 10, nonce: `n-${at}`, timestamp: begin + 7_200 }),
      ),
    ],
    [
      'a batch that a 404 has cost, although another session goes on',
      'keep-until-2xx',
      [anUpload({ at: 0 }), anUpload({ at: 9, sessions: [another(3, 8)] })],
    ],
    [
      'a half that never comes',
      'halve-on-413',
      [anUpload({ at: 0, status: 413 }), anUpload({ at: 1, sessions: of1(begun(), a) })],
    ],
    [
      'an event that comes again after a 422',
      'no-422-twice',
      [anUpload({ at: 0, status: 422, refused: ['sessions[0].events[1].id'] }), anUpload({ at: 1 })],
    ],
    [
      'a third signature of one upload',
      'resign-once-on-nonce-reused',
      many(3).map((at) => refusal('nonce_reused', { at: at / 10, nonce: `n-${at}` })),
    ],
    [
      'new ids of events in a retry',
      'event-ids-unique',
      [
        anUpload({ at: 0, status: 503, sessions: of1(begun(), made('x', 0, { name: 'Tapped' })) }),
        anUpload({ at: 1, sessions: of1(begun(), made('y', 0, { name: 'Tapped' })) }),
      ],
    ],
    [
      'another body of a stale retry in one flush',
      'sign-again-when-stale',
      [anUpload({ at: 0, status: 503 }), anUpload({ at: 130, sessions: of1(begun(), a, b, c) })],
    ],
    ['a report after a 404', 'stop-after-refusal', [fetched(0, { ...replied(404) }), transactions(1, ['one'])]],
  ];

  test.each(more)('%s breaks %s', (_fault, rule, requests) => {
    expect(brokenIn(requests).map((one) => one.rule)).toContain(rule);
  });

  test('the table quotes the event that it means, where the body is cut before it', () => {
    const events = [begun(), ...many(200).map((at) => made(`event ${at}`, at)), made('bad', 200, { date: iso(0) })];
    const text = table(judge(aRecording(anUpload({ at: 0, sessions: of1(...events) }))));
    expect(text).toContain('> sessions[0].events[201]: {"id":"bad",');
  });

  /** An SDK that never corrects its clock: every flush is refused, and the next one brings more. */
  function stuck(uploads: number): Recorded[] {
    const events = [begun(), ...many(uploads * 3).map((at) => made(`event ${at}`, at))];
    return many(uploads).map((at) =>
      refusal('timestamp_out_of_window', {
        at,
        timestamp: begin + 7_200,
        sessions: of1(...events.slice(0, at * 3 + 3)),
      }),
    );
  }

  test('700 refused uploads of up to 2,100 events are judged and written', () => {
    const recording = aRecording(...stuck(700));
    const judged = judge(recording);
    expect(judged.filter(({ verdict }) => verdict === 'broken').map(({ rule }) => rule)).toEqual([
      'clock-from-date-header',
      'resign-once-on-wrong-clock',
    ]);
    const pieces = [...reportPieces(recording, judged)];
    expect(pieces.length).toBe(702);
    expect(table(judged).length).toBeLessThan(50_000);
  }, 120_000);
});

// The script of the judge leaves a scene in which an SDK is stuck, whether or not requests arrive.
describe('scenePlayer', () => {
  const minute = 60_000;

  test('a scene ends after three minutes without a request, except the first one', () => {
    let now = 0;
    const player = new ScenePlayer(script({ longWaitSeconds: 125 }), () => now);
    now = 60 * minute;
    expect([player.skipOld(), player.position.scene]).toEqual([false, 'first uploads']);
    player.note('reportSessions', { sessions: [] });
    now += 3 * minute - 1;
    expect([player.skipOld(), player.position.scene]).toEqual([false, 'first uploads']);
    now += 1;
    expect([player.skipOld(), player.position.scene, player.skipped]).toEqual([true, 'properties', ['first uploads']]);
    expect(player.left.slice(0, 2)).toEqual(['properties', 'removal']);
  });

  test('the time of the first scene begins with the first request, also one that the checks refuse', () => {
    let now = 60 * minute;
    const player = new ScenePlayer(script({ longWaitSeconds: 125 }), () => now);
    player.begin();
    for (let second = 0; second < 179; second += 1) {
      now += 1_000;
      player.begin();
      expect(player.skipOld()).toBe(false);
    }
    now += 1_000;
    expect([player.skipOld(), player.position.scene]).toEqual([true, 'properties']);
  });
});
