// Fuzzes the admin API without sockets and database: every response to requests made from schema.graphql must follow it.
import type { AdminCase } from '../cases.ts';
import { figures, timeoutMillis } from '../figures.ts';
import { hold } from '../hold.ts';
import { adminCases, type AdminCases } from './adminCases.ts';
import { adminJudge, type AdminJudge } from './judge.ts';
import { memoryAdmin } from './memoryAdmin.ts';
import { readSdl } from './sdl.ts';

const ids = ['0192f0c4-3333-7000-8000-000000000003'];
let service: Awaited<ReturnType<typeof memoryAdmin>>;
let cases: AdminCases;
let judge: AdminJudge;
beforeAll(async () => {
  service = await memoryAdmin();
  const sdl = readSdl();
  cases = adminCases(sdl.fields, ids);
  judge = adminJudge(sdl, service);
});
afterAll(() => service.stop());

const runs = figures.adminInProcess;
test.each(Object.entries(runs) as [keyof typeof runs, number][])(
  '%s: %d requests',
  async (name, runs) => hold<AdminCase>({ kind: 'admin', cases: cases[name], runs, judge }),
  timeoutMillis,
);
