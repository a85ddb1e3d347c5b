// The length of JSON as PostgreSQL writes it: the figures are those of `length(x::jsonb::text)`.
import { writtenBytes } from '../../src/platform/json/writtenBytes.ts';

test.each([
  [5e-324, 326],
  [-5e-324, 327],
  [1e-7, 9],
  [1.5e-7, 10],
  [-1.25e-10, 15],
  [0.000001, 8],
  [0, 1],
  ['5e-324', 8],
  [null, 4],
  [[1e-7, 'é', { a: 1e-7 }], 2 + 9 + 1 + 4 + 1 + 15],
])('%j takes %d bytes', (value, bytes) => {
  expect(writtenBytes(value)).toBe(bytes);
});
