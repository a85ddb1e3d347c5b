// The form of API keys.
import { newApiKey } from '../../src/workspace/apiKey.ts';

test('a key has a prefix that scanners know and 32 base62 characters', () => {
  for (let i = 0; i < 200; i++) {
    const key = newApiKey();
    expect(key.public).toMatch(/^pub_[0-9A-Za-z]{32}$/);
    expect(key.secret).toMatch(/^sec_[0-9A-Za-z]{32}$/);
  }
});

test('keys do not repeat, the secret is not the public part, and every character is used', () => {
  const keys = Array.from({ length: 500 }, newApiKey);
  const parts = keys.flatMap((key) => [key.public.slice(4), key.secret.slice(4)]);
  expect(new Set(parts).size).toBe(1_000);
  expect(new Set(parts.join('')).size).toBe(62);
});
