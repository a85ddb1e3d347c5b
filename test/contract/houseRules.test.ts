// Checks the layers (which room may import which), who reads the environment, and the form of a file; each failure states the rule and its reason.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { resolvers } from '../../src/graphql/resolvers.ts';
import { operations } from '../../src/http/publicOperations.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { statementsOfSource } from '../support/distributedStatements.ts';
import { brokenRule } from '../support/houseRules.ts';
import { sourceFiles } from '../support/sourceFiles.ts';

const files = sourceFiles();
const entries = ['src/main.ts', 'src/programs/runProgram.ts', 'test/tools/demo/main.ts'];

test('the files and their imports are found', () => {
  const app = files.find(({ name }) => name === 'src/app.ts')!;
  expect(app.imports).toEqual(
    expect.arrayContaining([
      { to: 'src/deps.ts', deferred: true },
      { to: 'src/http/publicApi.ts', deferred: false },
    ]),
  );
  expect(files.length).toBeGreaterThan(50);
});

test('imports go one way', () => {
  const broken = files.flatMap(({ name, imports }) => imports.map((each) => brokenRule({ from: name, ...each })));
  expect(broken.filter((rule) => rule !== null)).toEqual([]);
});

test.each([
  ['src/platform/observability/log.ts', 'src/sessions/upload.ts', 'platform imports no feature'],
  ['src/platform/observability/log.ts', 'src/config.ts', 'platform imports no feature'],
  ['src/platform/errors.ts', 'generated/openapi.ts', 'platform imports no feature'],
  ['src/sessions/reportSessions.ts', 'src/http/responses.ts', 'a feature knows no protocol'],
  ['src/sessions/reportSessions.ts', 'src/deps.ts', 'passed to it as an argument'],
  ['src/sessions/upload.ts', 'src/purchases/entitlement.ts', 'not sessions → purchases'],
  ['src/campaigns/campaignRecord.ts', 'src/sessions/upload.ts', 'not campaigns → sessions'],
  ['src/sessions/writer/uploadsStore.ts', 'generated/openapi.ts', 'contract types stop at the operation'],
  ['src/accounts/usersStore.ts', 'generated/graphql.ts', 'contract types stop at the operation'],
  ['src/http/publicApi.ts', 'src/graphql/errors.ts', 'edges are called by app.ts'],
  ['src/http/publicApi.ts', 'src/app.ts', 'edges are called by app.ts'],
  ['src/http/publicApi.ts', 'src/config.ts', 'where their configuration comes from'],
  ['src/http/publicApi.ts', 'generated/prisma/client.ts', 'an edge holds no SQL'],
  ['src/http/publicApi.ts', 'generated/graphql.ts', 'its own contract only'],
  ['test/tools/demo/sdk/uploader.ts', 'src/http/responses.ts', 'by its contract'],
  ['src/http/publicApi.ts', 'test/tools/demo/sdk/uploader.ts', 'edges are called by app.ts'],
  ['src/http/publicContract.ts', 'src/http/onePass/cursor.ts', 'the one door of onePass/'],
  ['src/main.ts', 'src/development/welcome.ts', 'production never loads src/development'],
  ['src/compose/prepareDatabase.ts', 'src/development/welcome.ts', 'production never loads src/development'],
  ['src/purchases/storeOpener.ts', 'src/development/storeStandIn.ts', 'a feature knows no protocol'],
  ['src/development/welcome.ts', 'src/http/responses.ts', 'knows no protocol'],
  ['src/app.ts', 'src/main.ts', 'main → app → edges'],
  ['src/config.ts', 'src/platform/observability/log.ts', 'config.ts is pure'],
  ['src/dashboard/api/apiError.ts', 'src/platform/errors.ts', 'imports nothing of the service'],
  ['src/dashboard/api/apiError.ts', 'generated/graphql.ts', 'imports nothing of the service'],
  ['src/http/dashboard/dashboardPage.ts', 'src/dashboard/routes.tsx', 'imports nothing of its source'],
  ['src/graphql/errors.ts', 'generated/screens/enums.ts', 'imports nothing of the service'],
])('%s must not import %s', (from, to, reason) => {
  expect(brokenRule({ from, to })).toContain(reason);
});

test.each([
  ['src/sessions/reportSessions.ts', 'src/campaigns/campaignCounts.ts'],
  ['src/accounts/signup.ts', 'src/workspace/organizationsStore.ts'],
  ['src/jobs/tasks.ts', 'src/purchases/resolveTransaction.ts'],
  ['src/sessions/writer/uploadsStore.ts', 'generated/prisma/client.ts'],
  ['test/tools/demo/sdk/signedUpload.ts', 'src/platform/signature.ts'],
  ['src/http/publicContract.ts', 'src/http/onePass/onePass.ts'],
  ['src/dashboard/api/apiError.ts', 'generated/screens/enums.ts'],
])('%s may import %s', (from, to) => {
  expect(brokenRule({ from, to })).toBeNull();
});

test('passwords are hashed in one place, so that all are hashed alike', () => {
  const hashing = files.filter(({ text }) => text.includes("from 'argon2'")).map(({ name }) => name);
  expect(hashing).toEqual(['src/platform/passwordHash.ts']);
});

test('a transaction is opened in one place, which makes its type', () => {
  const opening = files.filter(({ text }) => /['"`]BEGIN['"`]|\$transaction\(/.test(text));
  expect(opening.map(({ name }) => name)).toEqual(['src/platform/database/transaction.ts']);
});

test('nobody counts the values of a statement: a tag puts them in their places', () => {
  const counted = statementsOfSource().filter(({ text }) => /\$\d/.test(text));
  expect(counted.map(({ name }) => name)).toEqual([]);
});

test('only config.ts reads the environment; an entry hands it on whole, so that all problems are told at once', () => {
  const readers = files.filter(({ text }) => /process\.env|from 'node:process'/.test(text));
  expect(readers.map(({ name }) => name).filter((name) => !entries.includes(name))).toEqual([]);
  const pieces = readers.filter(({ text }) => /process\.env\s*(\.|\[|\?)/.test(text));
  expect(pieces.map(({ name }) => name)).toEqual([]);
});

test('a file begins with one sentence on its place in the house', () => {
  const without = files.filter(({ text }) => !/^\/\/ \S.{20,}[.?!]\n/.test(text));
  expect(without.map(({ name, text }) => `${name}: ${text.split('\n')[0]}`)).toEqual([]);
});

test('there are no barrels, no default exports and no rooms for everything', () => {
  expect(
    files.map(({ name }) => name).filter((name) => /\/index\.ts$|\/(utils?|helpers?|common)\b/i.test(name)),
  ).toEqual([]);
  expect(files.filter(({ text }) => /^export (default|\* from)/m.test(text)).map(({ name }) => name)).toEqual([]);
});

describe('one name everywhere', () => {
  const names = [operations, resolvers.Query, resolvers.Mutation].flatMap((list) => Object.keys(list));
  const folder = projectFile('test', 'integration');
  const tests = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  test.each(names.map((name) => [name]))('%s is a file, its export and a block of tests', (name) => {
    const own = files.filter((file) => file.name.endsWith(`/${name}.ts`) && !file.name.startsWith('src/dashboard/'));
    expect(own).toHaveLength(1);
    expect(own[0]!.text).toMatch(new RegExp(`^export (async )?(function|const) ${name}\\b`, 'm'));
    const block = new RegExp(`^describe\\('${name}[':]`, 'm');
    expect(tests.some((text) => block.test(text))).toBe(true);
  });
});
