// `npm run bench:login`: 300 refused logins of each kind, interleaved, must take the same time. It is no part of `npm test`,
// because a busy machine can spoil the measurement.
import { hash } from 'argon2';
import { askAdmin } from '../support/adminClient.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newOrganization, newUser } from '../support/testUsers.ts';

const rounds = 300;
const warmUp = 20;
const mostDifference = 0.05;
const password = 'the right phrase of everybody';

let service: TestService;
let attempts: Record<string, { email: string; password: string }>;
beforeAll(async () => {
  const unlimited = { perAccount: 1_000_000, perAddress: 1_000_000, windowSeconds: 3_600 };
  service = await startTestService({ attemptLimits: unlimited });
  const organizationId = await newOrganization(service);
  const active = await newUser(service, organizationId);
  const passwordHash = await hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
  await service.database.prisma.user.updateMany({ data: { passwordHash } });
  attempts = {
    'unknown user': { email: 'nobody-at-all-of-this-length-as-the-others@example.com', password },
    'wrong password': { email: active.email, password: 'the wrong phrase of anybody!!' },
  };
});
afterAll(() => service.stop());

async function millisOf(variables: { email: string; password: string }): Promise<number> {
  const query =
    'mutation L($email: String!, $password: String!) { login(input: { email: $email, password: $password }) { token } }';
  const begun = performance.now();
  const { codes } = await askAdmin(service.url, { query, variables });
  const millis = performance.now() - begun;
  expect(codes).toEqual(['INVALID_CREDENTIALS']);
  return millis;
}

function median(values: number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return (sorted[Math.floor((sorted.length - 1) / 2)]! + sorted[Math.ceil((sorted.length - 1) / 2)]!) / 2;
}

/** The order rotates, so that no kind always follows the same other. */
function orderOf(round: number, kinds: string[]): string[] {
  const turned = kinds.map((_, index) => kinds[(index + round) % kinds.length]!);
  return Math.floor(round / kinds.length) % 2 === 0 ? turned : turned.reverse();
}

test(`the medians of ${rounds} refused logins of each kind differ by at most ${mostDifference * 100} %`, async () => {
  const kinds = Object.keys(attempts);
  const millis = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]]));
  for (let round = -warmUp; round < rounds; round += 1) {
    for (const kind of orderOf(Math.abs(round), kinds)) {
      const taken = await millisOf(attempts[kind]!);
      if (round >= 0) millis[kind]!.push(taken);
    }
  }
  const medians = kinds.map((kind) => median(millis[kind]!));
  const fastest = Math.min(...medians);
  const differences = medians.map((value) => value / fastest - 1);
  for (const [index, kind] of kinds.entries()) {
    const [shown, difference] = [medians[index]!.toFixed(2), (100 * differences[index]!).toFixed(2)];
    process.stdout.write(`login, ${kind.padEnd(14)}  median ${shown} ms  ${difference} % above the fastest\n`);
  }
  expect(millis[kinds[0]!]).toHaveLength(rounds);
  expect(Math.max(...differences)).toBeLessThanOrEqual(mostDifference);
}, 600_000);
