// Replays the cases that the fuzzers once found, without a database and over HTTP with one.
import { loadPublicDocument } from '../../support/publicDocument.ts';
import { startTestService, type TestService } from '../../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../../support/testUsers.ts';
import { adminJudge, type AdminJudge } from './admin/judge.ts';
import { memoryAdmin } from './admin/memoryAdmin.ts';
import { readSdl } from './admin/sdl.ts';
import type { AdminCase, PublicCase } from './cases.ts';
import { overHttp } from './exchange.ts';
import { timeoutMillis } from './figures.ts';
import { memoryPublicApi } from './memoryService.ts';
import { publicJudge, type PublicJudge } from './public/judge.ts';
import { readRegressions } from './regressions.ts';

let service: TestService;
let exchange: ReturnType<typeof overHttp>;
let memory: Awaited<ReturnType<typeof memoryAdmin>>;
let publicJudges: PublicJudge[];
let adminJudges: AdminJudge[];
beforeAll(async () => {
  service = await startTestService();
  exchange = overHttp(service.url);
  memory = await memoryAdmin();
  const document = await loadPublicDocument();
  const overSockets = { exchange, key: service.application.key, now: () => new Date() };
  publicJudges = [await memoryPublicApi(), overSockets].map((target) => publicJudge(document, target));
  const organizationId = await organizationOf(service, service.application.id);
  const users: Record<string, TestUser> = {
    viewer: await newUser(service, organizationId, 'viewer'),
    owner: await newUser(service, organizationId, 'owner'),
  };
  const tokenOf = async (as: AdminCase['as']) => users[as]?.token ?? null;
  adminJudges = [memory, { exchange, tokenOf, twice: false }].map((target) => adminJudge(readSdl(), target));
}, timeoutMillis);
afterAll(async () => {
  exchange.close();
  await memory.stop();
  await service.stop();
});

test('public requests', async () => {
  for (const [name, found] of readRegressions<PublicCase>('public')) {
    for (const judge of publicJudges) await judge(found).catch(named(name));
  }
});

test('admin requests', async () => {
  const all = readRegressions<AdminCase>('admin');
  for (const [name, found] of all) {
    for (const judge of adminJudges) await judge(found).catch(named(name));
  }
  expect(all.length).toBeGreaterThan(0);
});

const named = (name: string) => (error: Error) => {
  throw new Error(`${name}: ${error.message}`);
};
