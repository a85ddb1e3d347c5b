// Runs the test vectors for SDK teams against the reference SDK and against the service.
import { loadPublicContract } from '../../src/http/contract.ts';
import { operations } from '../../src/http/operations.ts';
import { readBody } from '../../src/http/readBody.ts';
import { isAppError } from '../../src/platform/errors.ts';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { loadVectors, sdkVectors, vectorFiles, type PathVector } from '../tools/conformance/vectors.ts';

test.each(sdkVectors())('$file: $name', ({ expected, answer }) => {
  expect(answer()).toEqual(expected);
});

describe('paths', () => {
  const alone = { inTurn: <Result>(work: () => Promise<Result>) => work(), assertAwaited: () => undefined };
  const routes = { reportSessions: 'session', reportAttribution: 'attribution', reportStoreTransactions: 'tm/store' };
  const contract = loadPublicContract(projectFile('openapi.yaml'), Object.keys(operations));
  test.each(loadVectors<PathVector>('paths.json').vectors)('$name', async ({ operation, body, paths }) => {
    const { body: schema } = (await contract).match('POST', `/api/v1/${routes[operation]}`)!;
    const bytes = Buffer.from(body);
    const found = await readBody(schema!, { ...alone, bytes, encoding: 'identity', onValue: () => undefined }).then(
      () => [],
      (error: unknown) => {
        if (!isAppError(error, 'validation_failed')) throw error;
        return error.details.fields.map(({ path }) => path).sort();
      },
    );
    expect(found).toEqual(paths);
  });
});

test('each file says what it is, and no two vectors of it bear one name', () => {
  const files = vectorFiles();
  expect(files.length).toBe(10);
  for (const file of files) {
    const { description, vectors } = loadVectors(file);
    expect(description.length).toBeGreaterThan(40);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
  }
});
