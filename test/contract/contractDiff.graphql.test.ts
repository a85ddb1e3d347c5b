// Shows on edited copies of schema.graphql which changes contract:diff calls breaking.
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { edited, told, type Edit } from '../support/contractEdits.ts';
import type { Change } from '../tools/contractDiff/change.ts';
import { graphqlChanges } from '../tools/contractDiff/graphqlChanges.ts';

const changesOf = (edit: Edit): Promise<Change[]> =>
  graphqlChanges(readFileSync(projectFile('schema.graphql'), 'utf8'), edited('schema.graphql', edit));

const broken: Edit[] = [
  [
    'a field that goes',
    / {2}"{3}\n {2}The logo, normally.*\n(?: {2}.*\n)+? {2}logo: String\n/,
    '',
    'Organization.logo',
  ],
  ['a narrowed argument', 'search: String\n', 'search: String!\n', 'Query.campaigns.search'],
  ['another type of an answer', 'shown: Float!', 'shown: Int!', 'CampaignStats.shown'],
  ['an answer that may be null', 'shown: Float!', 'shown: Float', 'CampaignStats.shown'],
  [
    'a new required field of an input',
    'input LoginInput {',
    'input LoginInput {\n  "New."\n  code: String!\n',
    'LoginInput.code',
  ],
  [
    'a new required argument',
    '    public: String!\n',
    '    public: String!\n    "New."\n    why: String!\n',
    'apiKeyRevoke.why',
  ],
  ['a value that goes', / {2}"{3}\n {2}Put away.*\n(?: {2}.*\n)+? {2}ARCHIVED\n/, '', 'CampaignState.ARCHIVED'],
  ['an error code that goes', / {2}RATE_LIMITED\n/, '  TOO_OFTEN\n', 'ErrorCode.RATE_LIMITED'],
  ['an operation that goes', / {2}me: ServiceUser!\n/, '  caller: ServiceUser!\n', 'Query.me'],
  ['another default', /(?<=limit: Int = )50/, '20', 'limit'],
];
test.each(broken)('%s is breaking', async (...edit) => {
  const found = told(await changesOf(edit));
  expect(found).toContainEqual(expect.stringMatching(new RegExp(`^breaking .*${edit[3]}`)));
});

const fine: Edit[] = [
  [
    'a new optional field of an input',
    'input LoginInput {',
    'input LoginInput {\n  "New."\n  code: String\n',
    'LoginInput.code',
  ],
  [
    'a new optional argument',
    '    public: String!\n',
    '    public: String!\n    "New."\n    why: String\n',
    'apiKeyRevoke.why',
  ],
  ['a new field', 'type Country {', 'type Country {\n  "New."\n  dialCode: String\n', 'Country.dialCode'],
  ['a new operation', 'type Query {', 'type Query {\n  "New."\n  later: Boolean\n', 'Query.later'],
  ['a new value', '  PAUSED\n', '  PAUSED\n\n  "New."\n  WAITING\n', 'CampaignState.WAITING'],
  ['a deprecation', '  me: ServiceUser!\n', '  me: ServiceUser! @deprecated(reason: "Gone soon.")\n', 'Query.me'],
];
test.each(fine)('%s is not', async (...edit) => {
  const found = told(await changesOf(edit));
  expect(found).toContainEqual(expect.stringMatching(new RegExp(`^fine .*${edit[3]}`)));
  expect(found.filter((line) => line.startsWith('breaking'))).toEqual([]);
});
