// Fuzzes the public API over HTTP with a real PostgreSQL: the same requests as in process, and a check of the stored rows.
import { loadPublicDocument } from '../../../support/publicDocument.ts';
import { startTestService, type TestService } from '../../../support/testService.ts';
import { newUser, organizationOf } from '../../../support/testUsers.ts';
import { readSdl } from '../admin/sdl.ts';
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

test(
  'what was accepted is there, and the admin API can show all of it',
  async () => {
    const { prisma } = service.database;
    for (const stored of [prisma.session, prisma.event, prisma.attributionReport, prisma.storeTransaction]) {
      expect(await (stored.count as () => Promise<number>)()).toBeGreaterThan(10);
    }
    const { ask } = await newUser(service, await organizationOf(service, service.application.id));
    const devices = await prisma.device.findMany({ select: { id: true } });
    const reports = await prisma.attributionReport.findMany({ select: { deviceId: true } });
    const ids = new Set([...devices.map(({ id }) => id), ...reports.map(({ deviceId }) => deviceId)]);
    expect(ids.size).toBeGreaterThan(30);
    const { document } = readSdl().fields.find(({ name }) => name === 'device')!;
    for (const id of ids) {
      const { data, errors } = await ask(document, { applicationId: service.application.id, id });
      expect({ id, errors, device: (data?.['device'] as { id: string } | undefined)?.id }).toEqual({
        id,
        errors: [],
        device: id,
      });
    }
  },
  timeoutMillis,
);
