// The states of a campaign: the effect of the clock, every allowed change of state, and the fields that a state requires.
import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import type { CampaignEditInput } from '../../generated/graphql.ts';
import {
  type CampaignConfig,
  campaignConfigs,
  createCampaignDirectory,
  onlyThese,
  writtenCampaigns,
} from '../../src/campaigns/campaignDirectory.ts';
import { readCampaignInput, systemEvents } from '../../src/campaigns/campaignEdit.ts';
import {
  allowedTransitions,
  boundariesOf,
  type CampaignContent,
  type CampaignState,
  chain,
  type ConditionOperator,
  isPublished,
  judgeMove,
  missingFor,
  movesByClock,
  nextBoundary,
  stateAt,
  type StoredCampaign,
} from '../../src/campaigns/campaignRecord.ts';
import { countries } from '../../src/countries/countries.ts';
import { id, list, most, pathsOf, rockets, x } from '../support/campaignInput.ts';
import { aCampaign, campaignStates, type Config, deliveredIn } from '../support/campaigns.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';

describe('campaignState', () => {
  const now = new Date('2026-09-10T12:00:00Z');
  const past = new Date(now.getTime() - 1);
  const future = new Date(now.getTime() + 1);

  /** The table of `CampaignState` in schema.graphql, written a second time. */
  const moves = new Set([
    'DRAFT→SCHEDULED',
    'DRAFT→ACTIVE',
    'DRAFT→ARCHIVED',
    'SCHEDULED→DRAFT',
    'SCHEDULED→ACTIVE',
    'SCHEDULED→PAUSED',
    'SCHEDULED→ARCHIVED',
    'ACTIVE→PAUSED',
    'ACTIVE→FINISHED',
    'PAUSED→ACTIVE',
    'PAUSED→FINISHED',
    'PAUSED→ARCHIVED',
    'FINISHED→ARCHIVED',
  ]);
  const pairs = campaignStates.flatMap((from) => campaignStates.map((to) => [from, to] as const));

  test.each(pairs)('%s → %s', (from, to) => {
    const allowed = campaignStates.filter((state) => moves.has(`${from}→${state}`));
    const expected =
      from === to
        ? { outcome: 'unchanged' }
        : moves.has(`${from}→${to}`)
          ? { outcome: 'moved' }
          : { outcome: 'illegal', allowed };
    expect(judgeMove(aCampaign({ state: from, startAt: future }), to, now)).toEqual(expected);
    expect(allowedTransitions(from)).toEqual(allowed);
  });

  test.each<[CampaignState, Date | null, Date | null, CampaignState]>([
    ['SCHEDULED', future, null, 'SCHEDULED'],
    ['SCHEDULED', now, null, 'ACTIVE'],
    ['SCHEDULED', past, future, 'ACTIVE'],
    ['SCHEDULED', past, now, 'FINISHED'],
    ['SCHEDULED', future, past, 'FINISHED'],
    ['SCHEDULED', null, null, 'SCHEDULED'],
    ['ACTIVE', null, null, 'ACTIVE'],
    ['ACTIVE', future, null, 'ACTIVE'],
    ['ACTIVE', null, future, 'ACTIVE'],
    ['ACTIVE', null, now, 'FINISHED'],
    ['DRAFT', past, past, 'DRAFT'],
    ['PAUSED', past, past, 'PAUSED'],
    ['FINISHED', past, future, 'FINISHED'],
    ['ARCHIVED', past, future, 'ARCHIVED'],
  ])('stored %s from %s to %s is %s', (...[state, startAt, endAt, expected]) => {
    expect(stateAt({ state, startAt, endAt }, now)).toBe(expected);
  });

  test('moves start from the state that the clock has made', () => {
    const begun = aCampaign({ state: 'SCHEDULED', startAt: past });
    expect(judgeMove(begun, 'ACTIVE', now)).toEqual({ outcome: 'unchanged' });
    expect(judgeMove(begun, 'DRAFT', now)).toEqual({ outcome: 'illegal', allowed: ['PAUSED', 'FINISHED'] });
    const over = aCampaign({ state: 'ACTIVE', endAt: past });
    expect(judgeMove(over, 'PAUSED', now)).toEqual({ outcome: 'illegal', allowed: ['ARCHIVED'] });
    expect(judgeMove(over, 'FINISHED', now)).toEqual({ outcome: 'unchanged' });
  });

  describe('what a state needs', () => {
    const nothing: Partial<CampaignContent> = { trigger: null, action: null, endAt: now };
    test.each<[CampaignState, Partial<CampaignContent>, string[]]>([
      ['SCHEDULED', nothing, ['trigger', 'action', 'schedule.startAt', 'schedule.endAt']],
      ['ACTIVE', nothing, ['trigger', 'action', 'schedule.endAt']],
      ['ACTIVE', { endAt: future }, []],
      ['SCHEDULED', { startAt: past }, []],
      ['SCHEDULED', {}, ['schedule.startAt']],
      ['DRAFT', nothing, []],
      ['PAUSED', nothing, []],
      ['FINISHED', nothing, []],
      ['ARCHIVED', nothing, []],
    ])('%s with %j lacks %j', (state, fields, paths) => {
      expect(missingFor(state, aCampaign(fields), now).map(({ path }) => path)).toEqual(paths);
    });

    test('a move to it names all of it', () => {
      const draft = aCampaign({ state: 'DRAFT', trigger: null, action: null });
      expect(judgeMove(draft, 'ACTIVE', now)).toMatchObject({
        outcome: 'incomplete',
        fields: [{ path: 'trigger' }, { path: 'action' }],
      });
    });
  });

  test('the clock has boundaries only where it changes the state', () => {
    const both = { startAt: past, endAt: future };
    expect(boundariesOf({ state: 'SCHEDULED', ...both })).toEqual([past, future]);
    expect(boundariesOf({ state: 'SCHEDULED', startAt: future, endAt: past })).toEqual([past]);
    expect(boundariesOf({ state: 'ACTIVE', ...both })).toEqual([future]);
    for (const state of ['DRAFT', 'PAUSED', 'FINISHED', 'ARCHIVED'] as const) {
      expect(boundariesOf({ state, ...both })).toEqual([]);
    }
  });
});

// The revision of a configuration: it changes with the delivered content and with the clock, and with nothing else.
describe('campaignConfig', () => {
  const now = new Date('2026-09-10T12:00:00Z');
  const later = (millis: number) => new Date(now.getTime() + millis);

  function stored(fields: Partial<StoredCampaign> = {}): StoredCampaign {
    const { id = randomUUID(), version = 1 } = fields;
    return {
      ...aCampaign(),
      applicationId: randomUUID(),
      createdAt: now,
      updatedAt: now,
      createdBy: null,
      updatedBy: null,
      ...fields,
      id,
      version,
    };
  }

  function read(config: CampaignConfig) {
    const { revision, from, until } = config;
    return { revision, from, until, campaigns: deliveredIn(config) };
  }

  function configAt(campaigns: StoredCampaign[], instant: Date) {
    return read(campaignConfigs(campaigns)(instant));
  }

  test('has the form of the contract, and is the same for the same campaigns in any order', () => {
    const campaigns = [stored(), stored({ priority: 3 }), stored({ priority: 3 })];
    const { revision } = configAt(campaigns, now);
    expect(revision).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
    expect(configAt([...campaigns].reverse(), now).revision).toBe(revision);
  });

  test('changes with a version and with each field that devices get', () => {
    const campaign = stored();
    const revisions = [
      campaign,
      { ...campaign, version: 2 },
      { ...campaign, name: 'Other' },
      { ...campaign, priority: 1 },
      { ...campaign, targeting: { countries: ['DE'] } },
      { ...campaign, endAt: later(1) },
    ].map((variant) => configAt([variant], now).revision);
    expect(new Set([...revisions, configAt([], now).revision]).size).toBe(7);
  });

  test('does not change with what devices do not get', () => {
    const campaign = stored();
    const { revision } = configAt([campaign], now);
    const touched = { ...campaign, description: 'For the team', updatedAt: later(5) };
    expect(configAt([touched, stored({ state: 'DRAFT' }), stored({ state: 'PAUSED' })], now).revision).toBe(revision);
  });

  test('a configuration knows from when until when it holds', () => {
    const campaigns = [
      stored({ state: 'SCHEDULED', startAt: later(10), endAt: later(20) }),
      stored({ state: 'ACTIVE', startAt: later(5), endAt: later(30) }),
      stored({ state: 'DRAFT', startAt: later(15), endAt: later(16) }),
    ];
    const boundaries = [-Infinity, 10, 20, 30, Infinity].map((millis) => now.getTime() + millis);
    for (const [index, millis] of [0, 10, 29, 30].entries()) {
      const { from, until } = configAt(campaigns, later(millis));
      expect([from, until]).toEqual([boundaries[index], boundaries[index + 1]]);
    }
  });

  test('what was worked out before a boundary is what a process works out that reads only after it', () => {
    const starts = [0, 10, 20, 30].map((millis) => later(millis));
    const campaigns = starts.flatMap((startAt, index) => [
      stored({ state: 'SCHEDULED', startAt, priority: index }),
      stored({ state: 'SCHEDULED', startAt, endAt: later(index * 7) }),
      stored({ state: 'ACTIVE', startAt, endAt: later(index * 9) }),
    ]);
    const configure = campaignConfigs(campaigns);
    const instants = Array.from({ length: 40 }, (_, millis) => later(millis - 5));
    for (const instant of [...instants, ...[...instants].reverse()]) {
      const delivered = campaigns.filter((campaign) => isPublished(stateAt(campaign, instant)));
      const anew = configAt(delivered, instant);
      expect(read(configure(instant))).toMatchObject({ revision: anew.revision, campaigns: anew.campaigns });
    }
    expect(new Set(instants.map((instant) => configure(instant).revision)).size).toBe(
      new Set(instants.map((instant) => configure(instant).from)).size,
    );
  });
});

// The campaigns in memory, when the database responds late, not at all, or with a change in between.
describe('campaignDirectory', () => {
  const now = new Date('2026-09-10T12:00:00Z');
  const application = randomUUID();

  function campaign(name: string): StoredCampaign {
    const ids = { id: randomUUID(), applicationId: application };
    return {
      ...aCampaign({ name }),
      ...ids,
      version: 1,
      createdAt: now,
      updatedAt: now,
      createdBy: null,
      updatedBy: null,
    };
  }

  /** Reads that the test completes one by one. */
  function directory({ live = true } = {}) {
    const readings: { response: (name: string) => void; fail: () => void }[] = [];
    const handlers = { notify: (_: string) => {}, listening: () => {} };
    const campaigns = createCampaignDirectory({
      read: () =>
        new Promise((resolve, reject) =>
          readings.push({ response: (name) => resolve([campaign(name)]), fail: () => reject(new Error('away')) }),
        ),
      subscribe({ onNotification, onListening }) {
        Object.assign(handlers, { notify: onNotification, listening: onListening });
        return { live: () => live, stop: () => Promise.resolve() };
      },
    });
    const name = () => campaigns.find(application, now).then((config) => deliveredIn(config)[0]!.name);
    return { campaigns, readings, handlers, name };
  }

  test('what is asked at once is read once, and then remembered', async () => {
    const { readings, name } = directory();
    const responses = Promise.all([name(), name(), name()]);
    readings[0]!.response('one');
    expect(await responses).toEqual(['one', 'one', 'one']);
    expect(await name()).toBe('one');
    expect(readings.length).toBe(1);
  });

  test.each(['a notification', 'a new connection', 'a change of our own'])(
    'after %s during a reading, its result serves those who waited and nobody else',
    async (event) => {
      const { campaigns, readings, handlers, name } = directory();
      const early = name();
      if (event === 'a notification') handlers.notify(application);
      else if (event === 'a new connection') handlers.listening();
      else campaigns.forget(application);
      const late = name();
      readings[1]!.response('new');
      expect(await late).toBe('new');
      readings[0]!.response('old');
      expect(await early).toBe('old');
      expect(await name()).toBe('new');
      expect(readings.length).toBe(2);
    },
  );

  test('a reading that was forgotten for others while it was under way is not remembered', async () => {
    const { campaigns, readings, handlers, name } = directory();
    const early = name();
    for (let others = 0; others < 5_001; others++) void campaigns.find(randomUUID(), now);
    handlers.notify(application);
    readings[0]!.response('old');
    expect(await early).toBe('old');
    const late = name();
    readings.at(-1)!.response('new');
    expect(await late).toBe('new');
  });

  test('without notifications, a reading that began more than a second ago serves nobody who comes now', async () => {
    jest.useFakeTimers({ now, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const { readings, name } = directory({ live: false });
    const early = name();
    jest.advanceTimersByTime(900);
    const shared = name();
    jest.advanceTimersByTime(200);
    const late = name();
    readings[1]!.response('new');
    expect(await late).toBe('new');
    readings[0]!.response('old');
    expect(await Promise.all([early, shared])).toEqual(['old', 'old']);
    expect(await name()).toBe('new');
    expect(readings.length).toBe(2);
    jest.useRealTimers();
  });

  test('a change of another application asks for nothing', async () => {
    const { readings, handlers, name } = directory();
    const first = name();
    readings[0]!.response('one');
    await first;
    handlers.notify(randomUUID());
    handlers.notify('not an id');
    expect(await name()).toBe('one');
  });

  test('a failed reading is not remembered', async () => {
    const { readings, name } = directory();
    const failed = name();
    readings[0]!.fail();
    await expect(failed).rejects.toThrow('away');
    const second = name();
    readings[1]!.response('one');
    expect(await second).toBe('one');
  });

  test('a revision does not wait long for a reading, and falls back on the last known', async () => {
    const { campaigns, readings, name } = directory();
    const none = campaigns.findRevision(application, now);
    readings[0]!.fail();
    await expect(none).rejects.toThrow('away');
    const first = campaigns.findRevision(application, now);
    readings[1]!.response('one');
    const known = await first;
    campaigns.forget(application);
    const startedAt = performance.now();
    expect(await campaigns.findRevision(application, now)).toBe(known);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    const failing = campaigns.findRevision(application, now);
    readings[2]!.fail();
    expect(await failing).toBe(known);
    const current = name();
    readings[3]!.response('two');
    expect(await current).toBe('two');
    expect(await campaigns.findRevision(application, now)).not.toBe(known);
  });

  test('a reading that a change has overtaken is not remembered, also where nobody has read since', async () => {
    const { readings, handlers, name } = directory();
    const early = name();
    handlers.notify(application);
    readings[0]!.response('old');
    expect(await early).toBe('old');
    const late = name();
    expect(readings.length).toBe(2);
    readings[1]!.response('new');
    expect(await late).toBe('new');
  });

  test('an overtaken reading that ends leaves the later one to be shared by all who come', async () => {
    const { readings, handlers, name } = directory();
    const early = name();
    handlers.notify(application);
    const late = name();
    readings[0]!.response('old');
    expect(await early).toBe('old');
    const later = name();
    expect(readings.length).toBe(2);
    readings[1]!.response('new');
    expect(await Promise.all([late, later])).toEqual(['new', 'new']);
  });

  test('more than there is room for is remembered all the same, and not read for every request', async () => {
    const { readings, name } = directory();
    const long = 'x'.repeat(33 * 1024 * 1024);
    const first = name();
    readings[0]!.response(long);
    expect((await first).length).toBe(long.length);
    expect((await name()).length).toBe(long.length);
    expect(readings.length).toBe(1);
  });

  test('campaigns are written down once for each reading, however many of them start one after the other', async () => {
    let written = 0;
    const payload = { toJSON: () => `text ${(written += 1)}` };
    const instants = Array.from({ length: 50 }, (_, index) => new Date(now.getTime() + index * 20));
    const scheduled = instants.map((startAt) => ({
      ...campaign('starts'),
      ...aCampaign({ state: 'SCHEDULED', startAt, action: { type: 'message', payload } }),
    }));
    const campaigns = createCampaignDirectory({
      read: () => Promise.resolve(scheduled),
      subscribe: () => ({ live: () => true, stop: () => Promise.resolve() }),
    });
    const revisions = [await campaigns.findRevision(application, instants[0]!)];
    const once = written;
    for (const instant of instants.slice(1)) revisions.push(await campaigns.findRevision(application, instant));
    expect(written).toBe(once);
    expect(new Set(revisions).size).toBe(instants.length);
  });
});

// The input of campaignEdit: every rule of schema.graphql that needs no stored row, each with its exact path.
describe('campaignInput', () => {
  const targeted = (targeting: CampaignEditInput['targeting']): Partial<CampaignEditInput> => ({ targeting });
  describe('who it is about', () => {
    test.each<[CampaignEditInput, string[]]>([
      [{}, ['input.applicationId', 'input.name']],
      [{ id: null, applicationId: null, name: null }, ['input.applicationId', 'input.name']],
      [{ applicationId: id, name: 'A' }, []],
      [{ applicationId: id, name: 'A', expectedVersion: null }, []],
      [{ applicationId: id, name: 'A', expectedVersion: 1 }, ['input.expectedVersion']],
      [{ id, applicationId: null, name: null, expectedVersion: null }, ['input.applicationId', 'input.name']],
      [{ id, applicationId: id, expectedVersion: 1 }, []],
    ])('%j refuses %j', (input, paths) => {
      expect(pathsOf({ id: undefined, ...input })).toEqual(paths);
    });
  });

  describe('what is absent stays, and what is null is cleared', () => {
    test('nothing', () => {
      expect(readCampaignInput({ id })).toEqual({});
    });

    test('null', () => {
      const nulls = { description: null, priority: null, trigger: null, targeting: null, frequency: null };
      expect(readCampaignInput({ id, ...nulls, schedule: null, action: null })).toEqual({
        ...nulls,
        priority: 0,
        startAt: null,
        endAt: null,
        action: null,
      });
    });

    test('objects are read whole', () => {
      const endAt = new Date();
      const input: CampaignEditInput = {
        name: ' A ',
        applicationId: id,
        trigger: { event: ' E ', type: 'CUSTOM' },
        targeting: {},
        frequency: {},
        schedule: { endAt },
        action: { type: 'open', blocking: null },
      };
      const targeting = { appVersion: null, osVersion: null, sdkVersion: null, appInstallVersion: null };
      expect(readCampaignInput(input)).toEqual({
        name: 'A',
        trigger: { event: ' E ', type: 'CUSTOM', filters: [] },
        targeting: { ...targeting, platforms: [], countries: [], userProperties: [] },
        frequency: { perSession: null, perDay: null, total: null, cooldownSeconds: null },
        startAt: null,
        endAt,
        action: { type: 'open', payload: null, blocking: false, deadlineSeconds: null },
      });
    });
  });

  test.each<[Partial<CampaignEditInput>, string[]]>([
    [{ name: ' \u0085' }, ['input.name']],
    [{ name: rockets(256) }, []],
    [{ name: rockets(257) }, ['input.name']],
    [{ name: 'a\0' }, ['input.name']],
    [{ description: '' }, []],
    [{ description: rockets(4_096) }, []],
    [{ description: x(4_097) }, ['input.description']],
    [{ description: '\ud800' }, ['input.description']],
    [{ priority: 0 }, []],
    [{ priority: 1_000 }, []],
    [{ priority: -1 }, ['input.priority']],
    [{ priority: 1_001 }, ['input.priority']],
  ])('%j refuses %j', (input, paths) => {
    expect(pathsOf(input)).toEqual(paths);
  });

  describe('the targeting', () => {
    const codes = countries().map(({ code }) => code);
    const group = (length: number) => list(length, { name: 'plan', op: 'EXISTS' as const });

    test.each<[CampaignEditInput['targeting'], string[]]>([
      [{ platforms: ['iOS', 'Android'] }, []],
      [{ platforms: ['ios', 'iOS', 'iOS'] }, ['input.targeting.platforms[0]', 'input.targeting.platforms[2]']],
      [{ countries: codes }, []],
      [
        { countries: ['DE', 'de', 'XK', 'UK', '', 'DE'] },
        [1, 2, 3, 4, 5].map((at) => `input.targeting.countries[${at}]`),
      ],
      [{ appVersion: { min: 0, max: most } }, []],
      [{ appVersion: { min: 7, max: 7 }, osVersion: { min: 1 }, sdkVersion: { max: 1 } }, []],
      [
        { appVersion: {}, osVersion: { min: null, max: null } },
        ['input.targeting.appVersion', 'input.targeting.osVersion'],
      ],
      [{ sdkVersion: { min: 2, max: 1 } }, ['input.targeting.sdkVersion.max']],
      [
        { appInstallVersion: { min: -1, max: most + 1 } },
        ['input.targeting.appInstallVersion.min', 'input.targeting.appInstallVersion.max'],
      ],
      [{ appVersion: { min: 1.5 } }, ['input.targeting.appVersion.min']],
      [{ userProperties: list(20, group(20)) }, []],
      [{ userProperties: list(21, group(1)) }, ['input.targeting.userProperties']],
      [{ userProperties: [group(1), [], group(21)] }, [1, 2].map((at) => `input.targeting.userProperties[${at}]`)],
      [
        { userProperties: [group(1), [{ name: ' ', op: 'EQ', value: {} }]] },
        ['input.targeting.userProperties[1][0].name', 'input.targeting.userProperties[1][0].value'],
      ],
    ])('%j refuses %j', (targeting, paths) => {
      expect(pathsOf(targeted(targeting)).sort()).toEqual([...paths].sort());
    });
  });

  test.each([
    ['perSession', 1_000_000],
    ['perDay', 1_000_000],
    ['total', 1_000_000],
    ['cooldownSeconds', 31_536_000],
  ])('frequency.%s is 1 to %i', (name, largest) => {
    for (const value of [null, 1, largest]) expect(pathsOf({ frequency: { [name]: value } })).toEqual([]);
    for (const value of [0, -1, largest + 1]) {
      expect(pathsOf({ frequency: { [name]: value } })).toEqual([`input.frequency.${name}`]);
    }
  });

  test('the schedule ends after it starts', () => {
    const [early, late] = [new Date(0), new Date(1)];
    expect(pathsOf({ schedule: { startAt: early, endAt: late } })).toEqual([]);
    expect(pathsOf({ schedule: { startAt: late, endAt: early } })).toEqual(['input.schedule.endAt']);
    expect(pathsOf({ schedule: { startAt: late, endAt: late } })).toEqual(['input.schedule.endAt']);
  });

  describe('the action', () => {
    test.each<[NonNullable<CampaignEditInput['action']>, string[]]>([
      [{ type: rockets(256) }, []],
      [{ type: '' }, ['input.action.type']],
      [{ type: x(257) }, ['input.action.type']],
      [{ type: 'a', blocking: true, deadlineSeconds: 86_400 }, []],
      [{ type: 'a', blocking: true, deadlineSeconds: 0 }, ['input.action.deadlineSeconds']],
      [{ type: 'a', blocking: true, deadlineSeconds: 86_401 }, ['input.action.deadlineSeconds']],
      [{ type: 'a', blocking: true, deadlineSeconds: null }, []],
      [{ type: 'a', blocking: false, deadlineSeconds: 1 }, ['input.action.deadlineSeconds']],
      [{ type: 'a', deadlineSeconds: 0 }, ['input.action.deadlineSeconds']],
      [{ type: 'a', deadlineSeconds: null }, []],
      [{ type: 'a', payload: x(65_534) }, []],
      [{ type: 'a', payload: x(65_535) }, ['input.action.payload']],
      [{ type: 'a', payload: { '\u{1f680}': 'é'.repeat(32_760) } }, []],
      [{ type: 'a', payload: { '\u{1f680}': 'é'.repeat(32_763) } }, ['input.action.payload']],
      [{ type: 'a', payload: [{ a: [most, -most, 0.1, 1e-300, false, null, ''] }] }, []],
      [{ type: 'a', payload: [{ a: [most + 1] }] }, ['input.action.payload']],
      [{ type: 'a', payload: -1e300 }, ['input.action.payload']],
      // PostgreSQL writes 326 characters for each number, and a comma.
      [{ type: 'a', payload: Array(200).fill(5e-324) }, []],
      [{ type: 'a', payload: Array(201).fill(5e-324) }, ['input.action.payload']],
      [{ type: 'a', payload: { deep: [{ list: Array(9_300).fill(-1.5e-7) }] } }, ['input.action.payload']],
    ])('%# refuses %j', (action, paths) => {
      expect(pathsOf({ action })).toEqual(paths);
    });
  });

  test('a trigger and a targeting of numbers that PostgreSQL writes long are refused', () => {
    const values = (count: number) => Array<number>(count).fill(5e-324);
    const filters = (count: number) =>
      Array.from({ length: count }, () => ({ param: 'p', op: 'IN' as const, value: values(100) }));
    const trigger = (count: number) => ({ event: 'E', type: 'CUSTOM' as const, filters: filters(count) });
    expect(pathsOf({ trigger: trigger(3) })).toEqual([]);
    expect(pathsOf({ trigger: trigger(5) })).toEqual(['input.trigger']);
    const group = [{ name: 'n', op: 'IN' as const, value: values(100) }];
    expect(pathsOf(targeted({ userProperties: [group, group, group] }))).toEqual([]);
    expect(pathsOf(targeted({ userProperties: Array(5).fill(group) as (typeof group)[] }))).toEqual([
      'input.targeting',
    ]);
  });

  test('all that is wrong is named at once, and at most a hundred of it', () => {
    const wrong: Partial<CampaignEditInput> = {
      priority: -1,
      trigger: { event: '', type: 'CUSTOM' },
      targeting: { platforms: ['web'] },
      frequency: { total: 0 },
      action: { type: '' },
    };
    expect(pathsOf({ ...wrong, name: '' }).sort()).toEqual([
      'input.action.type',
      'input.frequency.total',
      'input.name',
      'input.priority',
      'input.targeting.platforms[0]',
      'input.trigger.event',
    ]);
    expect(pathsOf(targeted({ countries: list(20_000, '') }))).toHaveLength(100);
  });
});

// The trigger of campaignEdit's input and its conditions: names, kinds of value by operator, counts.
describe('triggerInput', () => {
  const filtered = (
    ...values: { op: ConditionOperator; value?: unknown; param?: string }[]
  ): Partial<CampaignEditInput> => ({
    trigger: { event: 'Bought', type: 'CUSTOM', filters: values.map((filter) => ({ param: 'p', ...filter })) },
  });

  describe('the trigger', () => {
    test.each<[string, 'CUSTOM' | 'SYSTEM', boolean]>([
      ['Bought', 'CUSTOM', true],
      [rockets(256), 'CUSTOM', true],
      ['sessionstarted', 'CUSTOM', true],
      [x(257), 'CUSTOM', false],
      [' ', 'CUSTOM', false],
      ['a\0', 'CUSTOM', false],
      ['SessionStarted', 'CUSTOM', false],
      ['CampaignShown', 'CUSTOM', false],
      ['SessionStarted', 'SYSTEM', true],
      ['CustomPropertyChanged', 'SYSTEM', true],
      ['CampaignShown', 'SYSTEM', false],
      ['CampaignResolved', 'SYSTEM', false],
      ['Bought', 'SYSTEM', false],
      ['', 'SYSTEM', false],
    ])('%j as %s: %s', (event, type, accepted) => {
      expect(pathsOf({ trigger: { event, type } })).toEqual(accepted ? [] : ['input.trigger.event']);
    });

    test('knows the reserved names of the public contract', async () => {
      const document = await loadPublicDocument();
      const schema = document.definition.components!.schemas!['SessionEvent'] as { 'x-reserved-names': string[] };
      expect(systemEvents).toEqual(schema['x-reserved-names']);
    });

    test('has at most 50 filters, each with a name', () => {
      expect(pathsOf(filtered(...list(50, { op: 'EXISTS' as const })))).toEqual([]);
      expect(pathsOf(filtered(...list(51, { op: 'EXISTS' as const, param: '' })))).toEqual(['input.trigger.filters']);
      const names = ['p', ' p ', '', x(257), '\u2003'].map((param) => ({ op: 'EXISTS' as const, param }));
      expect(pathsOf(filtered(...names))).toEqual([2, 3, 4].map((at) => `input.trigger.filters[${at}].param`));
    });
  });

  describe('a condition', () => {
    const primitives = ['a', '', x(8_192), 1, -1.5, 0, most, -most, 1e-300, true, false];
    const changed = [most + 1, -most - 1, 1e300, x(8_193), '\0', '\udc00'];
    const nothing = [undefined, null];
    const objects = [{}, { a: 1 }];
    const lists = [['a', 1, true], list(100, ''), [1]];
    const wrongLists = [[], list(101, 'a')];

    test.each<[ConditionOperator[], unknown[], unknown[]]>([
      [['EQ', 'NEQ'], primitives, [...changed, ...nothing, ...objects, ...lists, ...wrongLists]],
      [
        ['GT', 'GTE', 'LT', 'LTE'],
        ['a', '', 1, -1.5],
        [true, false, ...changed, ...nothing, ...objects, ...lists, ...wrongLists],
      ],
      [['CONTAINS'], ['a', ' '], ['', 1, true, x(8_193), '\0', ...nothing, ...objects, ...lists]],
      [['IN', 'NOT_IN'], lists, [...primitives, ...nothing, ...objects, ...wrongLists]],
      [['EXISTS', 'NOT_EXISTS'], nothing, [...primitives, ...objects, ...lists, []]],
    ])('with %j', (operators, accepted, refused) => {
      for (const op of operators) {
        for (const value of accepted) expect(pathsOf(filtered({ op, value }))).toEqual([]);
        for (const value of refused)
          expect(pathsOf(filtered({ op, value }))).toEqual(['input.trigger.filters[0].value']);
      }
    });

    test('names the wrong entries of a list', () => {
      const value = ['a', null, 1, {}, [], most + 1, x(8_193)];
      const wrong = [1, 3, 4, 5, 6].map((at) => `input.trigger.filters[0].value[${at}]`);
      expect(pathsOf(filtered({ op: 'IN', value }))).toEqual(wrong);
    });

    test('without a value is stored without one', () => {
      const { trigger } = readCampaignInput({ id, ...filtered({ op: 'EXISTS', value: null }) });
      expect(trigger!.filters).toEqual([{ param: 'p', op: 'EXISTS' }]);
    });
  });
});

// The moves that the clock has made since the state that the last event told.
describe('campaignMoves', () => {
  const day = (date: number) => new Date(Date.UTC(2026, 2, date));
  const [start, end] = [day(10), day(20)];
  const scheduled = { state: 'SCHEDULED' as const, startAt: start, endAt: end };

  interface Case {
    told: CampaignState;
    campaign?: Parameters<typeof movesByClock>[1];
    now: Date;
    moves: string[];
  }

  test.each<[string, Case]>([
    ['before the start', { told: 'SCHEDULED', now: day(9), moves: [] }],
    ['at the start', { told: 'SCHEDULED', now: start, moves: ['SCHEDULED → ACTIVE'] }],
    ['after a start that was told', { told: 'ACTIVE', now: day(15), moves: [] }],
    ['at the end', { told: 'ACTIVE', now: end, moves: ['ACTIVE → FINISHED'] }],
    ['after both', { told: 'SCHEDULED', now: day(30), moves: ['SCHEDULED → ACTIVE', 'ACTIVE → FINISHED'] }],
    ['after an end that was told', { told: 'FINISHED', now: day(30), moves: [] }],
    [
      'an end without a start',
      {
        told: 'SCHEDULED',
        campaign: { ...scheduled, startAt: day(25) },
        now: day(30),
        moves: ['SCHEDULED → FINISHED'],
      },
    ],
    [
      'started by hand',
      { told: 'ACTIVE', campaign: { ...scheduled, state: 'ACTIVE' }, now: day(30), moves: ['ACTIVE → FINISHED'] },
    ],
    ['paused', { told: 'PAUSED', campaign: { ...scheduled, state: 'PAUSED' }, now: day(30), moves: [] }],
  ])('%s', (_, { told, campaign = scheduled, now, moves }) => {
    expect(movesByClock(told, campaign, now).map(({ from, to }) => `${from} → ${to}`)).toEqual(moves);
  });

  test('a move by the clock happened at the time of the schedule', () => {
    expect(movesByClock('SCHEDULED', scheduled, day(30)).map(({ at }) => at)).toEqual([start, end]);
  });

  test('a step to the same state is no move', () => {
    expect(chain('ACTIVE', [{ to: 'ACTIVE', at: start }])).toEqual([]);
  });

  test('the next boundary lies ahead', () => {
    expect([day(9), start, end].map((now) => nextBoundary(scheduled, now))).toEqual([start, end, null]);
  });
});

// Campaigns are written once: each can be left out of the bytes, and adjacent campaigns are sent without a copy.
describe('writtenCampaigns', () => {
  type Campaign = Config['campaigns'][number];

  const names = ['a', 'ü', '日本', '"},{"'];
  const written = writtenCampaigns(
    names.map((name) => {
      const campaign = { name, targeting: { countries: [name] } } as unknown as Campaign;
      return { campaign, json: JSON.stringify(campaign) };
    }),
  );

  /** Every subset of the campaigns, as bits. */
  const choices = Array.from({ length: 1 << names.length }, (_, bits) => names.map((_, index) => (bits >> index) & 1));

  test('every choice of them is a list of those, in order', () => {
    for (const choice of choices) {
      const some = written.campaigns.filter((_, index) => choice[index]);
      const list = JSON.parse(`[${onlyThese(written.bytes, some).toString()}]`) as Campaign[];
      expect(list.map(({ name }) => name)).toEqual(names.filter((_, index) => choice[index]));
    }
  });

  test('each keeps the targeting that decides who is sent it', () => {
    expect(written.campaigns.map(({ targeting }) => targeting.countries)).toEqual(names.map((name) => [name]));
  });

  test('neighbours are sent from the bytes of all', () => {
    for (const some of [written.campaigns, written.campaigns.slice(1, 3), written.campaigns.slice(3)]) {
      expect(onlyThese(written.bytes, some).buffer).toBe(written.bytes.buffer);
    }
  });
});
