// A transaction that met another one is repeated at most twice; any other failure is final.
import { jest } from '@jest/globals';
import { retryConflicts } from '../../src/platform/database/retryConflicts.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

test.each(['40001', '40P01'])('%s is retried twice at most', async (code) => {
  const run = jest.fn((attempt: number) => Promise.reject(Object.assign(failure(code), { attempt })));
  await expect(retryConflicts(run)).rejects.toMatchObject({ code, attempt: 3 });
  expect(run.mock.calls).toEqual([[1], [2], [3]]);
});

test('the first success ends it', async () => {
  const run = jest.fn((attempt: number) =>
    attempt === 2 ? Promise.resolve('stored') : Promise.reject(failure('40P01')),
  );
  await expect(retryConflicts(run)).resolves.toBe('stored');
  expect(run).toHaveBeenCalledTimes(2);
});

test.each(['57014', '23505', 'ECONNRESET'])('%s is not retried: the transaction may have been stored', async (code) => {
  const run = jest.fn(() => Promise.reject(failure(code)));
  await expect(retryConflicts(run)).rejects.toMatchObject({ code });
  expect(run).toHaveBeenCalledTimes(1);
});
