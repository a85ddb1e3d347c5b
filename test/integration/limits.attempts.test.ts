// Attempts over the limit are refused for a while, as a client sees it (schema.graphql, "Attempts").
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';

let service: TestService;
let now = new Date();
beforeAll(async () => {
  const attemptLimits = { perAccount: 3, perAddress: 8, windowSeconds: 60 };
  service = await startTestService({ now: () => now, attemptLimits });
});
afterAll(() => service.stop());

const ask = (query: string) => askAdmin(service.url, { query });
const login = (email: string) => `login(input: { email: "${email}", password: "x" }) { token }`;

test('attempts at one account are limited for a while, and refused ones do not prolong it', async () => {
  now = new Date(now.getTime() + 120_000);
  const codes = async (email: string) => (await ask(`mutation { ${login(email)} }`)).codes;
  for (const email of ['one@x', ' ONE@x', 'one@X ']) expect(await codes(email)).toEqual(['INVALID_CREDENTIALS']);
  const { errors } = await ask(`mutation { ${login('one@x')} }`);
  expect(errors[0]!.extensions).toEqual({ code: 'RATE_LIMITED', retryAfterSeconds: 60 });
  now = new Date(now.getTime() + 45_000);
  const again = await ask(`mutation { ${login('one@x')} }`);
  expect(again.errors[0]!.extensions['retryAfterSeconds']).toBe(15);
  expect(await codes('two@x')).toEqual(['INVALID_CREDENTIALS']);
  now = new Date(now.getTime() + 15_000);
  expect(await codes('one@x')).toEqual(['INVALID_CREDENTIALS']);
});

test('attempts from one address are limited, each mutation for itself, and the others still count nothing', async () => {
  now = new Date(now.getTime() + 120_000);
  const all = await Promise.all(Array.from({ length: 12 }, (_, at) => ask(`mutation { ${login(`user${at}@x`)} }`)));
  const codes = all.flatMap((answer) => answer.codes);
  expect(codes.filter((code) => code === 'INVALID_CREDENTIALS')).toHaveLength(8);
  expect(codes.filter((code) => code === 'RATE_LIMITED')).toHaveLength(4);
  expect((await ask('mutation { refreshToken(token: "none") { token } }')).codes).toEqual(['INVALID_TOKEN']);
});
