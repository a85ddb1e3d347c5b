// The trigger of campaignEdit's input and its conditions: names, kinds of value by operator, counts.
import type { CampaignEditInput } from '../../generated/graphql.ts';
import { readCampaignInput } from '../../src/campaigns/campaignInput.ts';
import type { ConditionOperator } from '../../src/campaigns/campaignRecord.ts';
import { systemEvents } from '../../src/campaigns/triggerInput.ts';
import { id, list, most, pathsOf, rockets, x } from '../support/campaignInput.ts';
import { loadPublicDocument } from '../support/publicDocument.ts';

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
      for (const value of refused) expect(pathsOf(filtered({ op, value }))).toEqual(['input.trigger.filters[0].value']);
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
