// Shows on edited copies of openapi.yaml which changes contract:diff calls breaking.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { edited, told, type Edit } from '../support/contractEdits.ts';
import type { Change } from '../tools/contractDiff/change.ts';
import { openapiChanges } from '../tools/contractDiff/openapiChanges.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'campaign-analytics-contracts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const changesOf = (text: string): Promise<Change[]> => {
  const copy = path.join(folder, 'openapi.yaml');
  writeFileSync(copy, text);
  return openapiChanges(projectFile('openapi.yaml'), copy);
};

const broken: Edit[] = [
  [
    'a field of an answer that goes',
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
    'a value of an answer that goes',
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
    'a field of an answer that may be left out',
    'required: [revision, serverTime, nextFetchSeconds, campaigns]',
    'required: [revision, serverTime, campaigns]',
    'nextFetchSeconds is not required any more',
  ],
  [
    'an answer that may be null',
    /(?<= {8}priority:\n {10}type: integer\n)/,
    '          nullable: true\n',
    'priority: may be null now',
  ],
  ['a header of an answer that goes', / {12}X-Config-Revision:\n.*\n/, '', 'X-Config-Revision: was removed'],
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
    'a new field of an answer',
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
  ['a new value of an answer', 'enum: [bytes, ', 'enum: [devices, bytes, ', 'unit: the value "devices" was added'],
  ['a new error', / {8}'304':/, "        '429':\n          description: Later.\n        '304':", '429: is a new error'],
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
