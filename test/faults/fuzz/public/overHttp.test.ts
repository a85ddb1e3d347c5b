// The public API over HTTP with a real PostgreSQL: the same requests as in process, and lengths that lie.
import { loadPublicDocument } from '../../../support/publicDocument.ts';
import { startTestService, type TestService } from '../../../support/testService.ts';
import type { PublicCase } from '../cases.ts';
import { overHttp } from '../exchange.ts';
import { figures, timeoutMillis } from '../figures.ts';
import { hold } from '../hold.ts';
import { publicCases, type PublicCases } from './publicCases.ts';
import { publicJudge, type PublicJudge } from './judge.ts';

let service: TestService;
let exchange: ReturnType<typeof overHttp>;
let cases: PublicCases;
let judge: PublicJudge;
beforeAll(async () => {
  service = await startTestService();
  exchange = overHttp(service.url);
  const document = await loadPublicDocument();
  cases = publicCases(document);
  judge = publicJudge(document, { exchange, key: service.application.key, now: () => new Date() });
});
afterAll(async () => {
  exchange.close();
  await service.stop();
});

const runs = figures.publicOverHttp;
test.each(Object.entries(runs) as [keyof typeof runs, number][])(
  '%s: %d requests',
  async (name, runs) => hold<PublicCase>({ kind: 'public', cases: cases[name], runs, judge }),
  timeoutMillis,
);

test('what was accepted is there', async () => {
  const { prisma } = service.database;
  for (const stored of [
    prisma.device,
    prisma.session,
    prisma.event,
    prisma.attributionReport,
    prisma.storeTransaction,
  ]) {
    expect(await (stored.count as () => Promise<number>)()).toBeGreaterThan(10);
  }
});
