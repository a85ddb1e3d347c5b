// The input of campaignEdit: every rule of schema.graphql that needs no stored row, each with its exact path.
import type { CampaignEditInput } from '../../generated/graphql.ts';
import { readCampaignInput } from '../../src/campaigns/campaignInput.ts';
import { countries } from '../../src/countries/countries.ts';
import { id, list, most, pathsOf, rockets, x } from '../support/campaignInput.ts';

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
  expect(pathsOf(targeted({ userProperties: Array(5).fill(group) as (typeof group)[] }))).toEqual(['input.targeting']);
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
