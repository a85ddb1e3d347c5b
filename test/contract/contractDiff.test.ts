// contract:diff and contract:release: a break needs a new version, and the present contracts keep what was released.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFile, projectRoot } from '../../src/platform/projectRoot.ts';
import { type Edit, edited, told } from '../support/contractEdits.ts';
import type { Change } from '../tools/contractDiff/change.ts';
import { compareWithReleased, type Comparison } from '../tools/contractDiff/contracts.ts';
import { graphqlChanges } from '../tools/contractDiff/graphqlChanges.ts';
import { openapiChanges } from '../tools/contractDiff/openapiChanges.ts';
import { unannounced, unreleasable } from '../tools/contractDiff/verdict.ts';
import { announcesBreak } from '../tools/contractDiff/version.ts';

describe('contractDiff', () => {
  describe('the version', () => {
    test.each([
      ['1.4.2', '2.0.0', true],
      ['1.4.2', '1.5.0', false],
      ['2.0.0', '1.9.0', false],
      ['0.1.3', '0.2.0', true],
      ['0.1.3', '0.1.4', false],
      ['0.9.0', '1.0.0', true],
    ])('from %s to %s announces a break: %s', (before, after, announced) => {
      expect(announcesBreak(before, after)).toBe(announced);
    });

    const comparison = (fields: Partial<Comparison>): Comparison => ({
      file: 'openapi.yaml',
      was: '1.4.2',
      is: '1.4.2',
      textChanged: true,
      changes: [{ at: 'GET /x', what: 'the operation was removed', breaking: true }],
      ...fields,
    });

    test('lets a break pass only when it says so', () => {
      expect(unannounced(comparison({}))).toContain('raise it to 2.0.0');
      expect(unannounced(comparison({ file: 'schema.graphql', was: '0.1.0', is: '0.1.9' }))).toContain(
        'raise it to 0.2.0',
      );
      expect(unannounced(comparison({ is: '2.0.0' }))).toBeNull();
      expect(unannounced(comparison({ changes: [] }))).toBeNull();
    });

    test('is raised with every release that differs', () => {
      expect(unreleasable(comparison({ changes: [] }))).toContain('differs from 1.4.2');
      expect(unreleasable(comparison({ changes: [], is: '1.4.3' }))).toBeNull();
      expect(unreleasable(comparison({ changes: [], textChanged: false }))).toBeNull();
      expect(unreleasable(comparison({ is: '1.5.0' }))).toContain('breaking');
    });
  });

  test('both contracts keep what was released last, or their versions say that they do not', async () => {
    const comparisons = await compareWithReleased(projectRoot);
    expect(comparisons.map(({ file }) => file)).toEqual(['openapi.yaml', 'schema.graphql']);
    expect(comparisons.map(unannounced)).toEqual([null, null]);
  });
});

// Shows on edited copies of schema.graphql which changes contract:diff calls breaking.
describe('contractDiff.graphql', () => {
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
    ['another type of a response', 'shown: Float!', 'shown: Int!', 'CampaignStats.shown'],
    ['a response that may be null', 'shown: Float!', 'shown: Float', 'CampaignStats.shown'],
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
});

// Shows on edited copies of openapi.yaml which changes contract:diff calls breaking.
describe('contractDiff.openapi', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-contracts-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const changesOf = (text: string): Promise<Change[]> => {
    const copy = path.join(folder, 'openapi.yaml');
    writeFileSync(copy, text);
    return openapiChanges(projectFile('openapi.yaml'), copy);
  };

  const broken: Edit[] = [
    [
      'a field of a response that goes',
      / {8}nextFetchSeconds:\n(?: {10}.*\n)+/,
      '',
      'GET /api/v1/campaigns 200.nextFetchSeconds: was removed',
    ],
    [
      'a field of a request that goes',
      / {8}adId:\n {10}type: string\n(?: {10}.*\n)+/,
      '',
      'properties.adId: was removed',
    ],
    [
      'a narrowed type of a request',
      /(?<=installDatetime:\n {10}type: )number/,
      'integer',
      'installDatetime: type went from "number" to "integer"',
    ],
    [
      'a narrowed length',
      /(?<=country:\n {10}type: string\n {10}nullable: true\n {10}maxLength: )256/,
      '2',
      'country: maxLength went from 256 to 2',
    ],
    [
      'null that is refused now',
      /(?<=lastSyncTS:\n {10}type: number\n) {10}nullable: true\n/,
      '',
      'lastSyncTS: may not be null any more',
    ],
    ['a value of a request that goes', 'enum: [custom, system]', 'enum: [custom]', 'the value "system" was removed'],
    [
      'a value of a response that goes',
      'timestamp_out_of_window, nonce_reused]',
      'timestamp_out_of_window]',
      'reason: the value "nonce_reused" was removed',
    ],
    [
      'a new required input',
      'required: [id, number, startDate]',
      'required: [id, number, startDate, finishDate]',
      'sessions[]: finishDate is required now',
    ],
    [
      'a header that is required now',
      /(?<=name: X-Nonce\n {6}in: header\n {6}required: )false/,
      'true',
      'header X-Nonce: is required now',
    ],
    ['a status that goes', / {8}'415':\n.*\n/, '', 'POST /api/v1/session 415: the status was removed'],
    [
      'another success',
      / {8}'304':/,
      "        '204':\n          description: None.\n        '304':",
      'GET /api/v1/campaigns 204: is a new success',
    ],
    [
      'an operation that goes',
      / {2}\/api\/v1\/campaigns:\n(?: {4}.*\n|\n)+/,
      '',
      'GET /api/v1/campaigns: the operation was removed',
    ],
    [
      'an operation of another name',
      'operationId: getCampaigns',
      'operationId: fetchCampaigns',
      'its operationId is fetchCampaigns now',
    ],
    [
      'a field of a response that may be left out',
      'required: [revision, serverTime, nextFetchSeconds, campaigns]',
      'required: [revision, serverTime, campaigns]',
      'nextFetchSeconds is not required any more',
    ],
    [
      'a response that may be null',
      /(?<= {8}priority:\n {10}type: integer\n)/,
      '          nullable: true\n',
      'priority: may be null now',
    ],
    ['a header of a response that goes', / {12}X-Config-Revision:\n.*\n/, '', 'X-Config-Revision: was removed'],
    [
      'a choice that goes',
      /(?<= {4}PropertyValue:\n(?: {6}.*\n)+) {8}- type: boolean\n/,
      '',
      'may not be boolean any more',
    ],
    [
      'a rule of our own',
      '        - CampaignResolved\n',
      '        - CampaignResolved\n        - Purchased\n',
      'x-reserved-names went from',
    ],
    ['another way to authenticate', 'name: X-Api-Key', 'name: Api-Key', 'security ApiKey: was changed'],
  ];
  test.each(broken)('%s is breaking', async (...edit) => {
    const found = told(await changesOf(edited('openapi.yaml', edit)));
    expect(found.filter((line) => line.startsWith('breaking'))).toContainEqual(expect.stringContaining(edit[3]));
  });

  const fine: Edit[] = [
    [
      'a new optional field',
      / {8}adId:\n/,
      '        later:\n          type: string\n          description: Later.\n        adId:\n',
      'later: was added',
    ],
    [
      'a new field of a response',
      / {8}nextFetchSeconds:\n/,
      '        later:\n          type: string\n          description: Later.\n        nextFetchSeconds:\n',
      'later: was added',
    ],
    [
      'a new operation',
      /^components:\n/m,
      "  /api/v1/later:\n    get:\n      operationId: getLater\n      responses:\n        '200':\n          description: Later.\ncomponents:\n",
      'GET /api/v1/later: the operation was added',
    ],
    ['a new value of a response', 'enum: [bytes, ', 'enum: [devices, bytes, ', 'unit: the value "devices" was added'],
    [
      'a new error',
      / {8}'304':/,
      "        '429':\n          description: Later.\n        '304':",
      '429: is a new error',
    ],
    [
      'a request that takes more',
      /(?<=country:\n {10}type: string\n {10}nullable: true\n {10}maxLength: )256/,
      '512',
      'maxLength went from 256 to 512',
    ],
    [
      'an optional field',
      'required: [id, number, startDate]',
      'required: [id, number]',
      'startDate is not required any more',
    ],
  ];
  test.each(fine)('%s is not', async (...edit) => {
    const found = told(await changesOf(edited('openapi.yaml', edit)));
    expect(found).toContainEqual(expect.stringContaining(edit[3]));
    expect(found.filter((line) => line.startsWith('breaking'))).toEqual([]);
  });

  test('a description is no change', async () => {
    expect(
      await changesOf(edited('openapi.yaml', ['', 'One campaign as the device', 'A campaign as the device', ''])),
    ).toEqual([]);
  });

  test('a schema of another name is breaking, because generated clients have types of that name', async () => {
    const text = readFileSync(projectFile('openapi.yaml'), 'utf8');
    const renamed = text.replace('    FieldError:\n', '    Fault:\n').replace('schemas/FieldError', 'schemas/Fault');
    expect(told(await changesOf(renamed))).toEqual(['breaking schema FieldError: was removed or renamed']);
  });
});
