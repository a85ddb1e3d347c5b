// AppError, the one error that features throw.
import { AppError, isAppError } from '../../src/platform/errors.ts';

test('carries its code, its details and its cause', () => {
  const cause = new Error('the reason');
  const error = new AppError('too_large', { unit: 'bytes', limit: 5 }, { cause });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: 'AppError', code: 'too_large', details: { unit: 'bytes', limit: 5 }, cause });
});

test('does not put its details into its message, which is logged', () => {
  const fields = [{ path: 'user.id', message: 'must be a string' }];
  expect(new AppError('validation_failed', { fields }).message).toBe('validation_failed');
});

test('is told by its code, and other errors are none', () => {
  const error = new AppError('not_found', undefined);
  expect(isAppError(error, 'not_found')).toBe(true);
  expect(isAppError(error, 'unavailable')).toBe(false);
  expect(isAppError(Object.assign(new Error('x'), { code: 'not_found' }), 'not_found')).toBe(false);
  expect(isAppError(undefined, 'not_found')).toBe(false);
});
