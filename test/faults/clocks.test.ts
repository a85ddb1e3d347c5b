// Devices with wrong clocks and the reference SDK: a device whose upload is refused corrects its clock with one more request.
import { randomBytes } from 'node:crypto';
import { newDeviceStore } from '../tools/demo/sdk/deviceStore.ts';
import { Backoff } from '../tools/demo/sdk/backoff.ts';
import { DeviceClock } from '../tools/demo/sdk/deviceClock.ts';
import type { SdkEnvironment } from '../tools/demo/sdk/environment.ts';
import { Exchange } from '../tools/demo/sdk/exchange.ts';
import { recommendedSettings as settings } from '../tools/demo/sdk/settings.ts';
import { Uploader } from '../tools/demo/sdk/uploader.ts';
import type { SessionReport } from '../tools/demo/sdk/wire.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { aDevice } from '../support/uploads.ts';
import type { Reply } from './support/ledger.ts';
import { testFault } from './support/scenario.ts';
import { uuidOf } from './support/seed.ts';

const [minute, day] = [60_000, 86_400_000];
/** The service refuses a timestamp more than 300 s ahead of its clock or 24 hours behind it (openapi.yaml, "Signature of a session request"). */
const clocks = [
  { name: '10 years behind', offMillis: -3_650 * day, requests: 2 },
  { name: '25 hours behind', offMillis: -day - 60 * minute, requests: 2 },
  { name: '23 hours behind', offMillis: -day + 60 * minute, requests: 1 },
  { name: '6 minutes ahead', offMillis: 6 * minute, requests: 2 },
  { name: '4 minutes behind', offMillis: -4 * minute, requests: 1 },
  { name: '4 minutes ahead', offMillis: 4 * minute, requests: 1 },
];
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ signatureRequired: true });
});
afterAll(() => service.stop());

/** A device with this clock that has no response from the service yet; `replies` collects every response. */
function wrongClock(offMillis: number, report: SessionReport) {
  const replies: Reply[] = [];
  const environment: SdkEnvironment = {
    now: () => Date.now() + offMillis,
    uptime: () => performance.now(),
    utcOffsetMinutes: () => 0,
    random: () => 0,
    randomBytes,
    newId: () => '',
    sleep: async () => undefined,
    after: () => () => undefined,
    osVersion: () => '18.1',
    warn: () => undefined,
    async fetch(url, init) {
      const response = await fetch(url, init);
      const body: unknown = await response.clone().json();
      replies.push({ status: response.status, body, headers: Object.fromEntries(response.headers) });
      return response;
    },
  };
  const { key } = service.application;
  const credentials = { baseUrl: service.url, publicKey: key.public, secretKey: key.secret };
  const store = newDeviceStore(report.device.id, report.device.properties);
  const backoff = new Backoff({ policy: settings.retry, environment });
  const parts = { credentials, settings, environment, store, backoff, clock: new DeviceClock(environment, store) };
  return { uploader: new Uploader({ ...parts, exchange: new Exchange(parts), onStep: () => undefined }), replies };
}

testFault({
  name: 'clocks 10 years, a day, and 6 and 4 minutes off: one more request heals',
  times: { short: 6, long: 60 },
  async run({ times, random, trial, injected }) {
    const { url, database, application } = service;
    const device = () => aDevice(uuidOf(random));
    const { ledger, source, watched } = await trial({ databaseUrl: database.url, url: () => url, application });
    for (let run = 0; run < times; run++) {
      const { name, offMillis, requests } = clocks[run % clocks.length]!;
      const first = { ...source.next(), device: device() };
      const { uploader, replies } = wrongClock(offMillis, first);
      // The reference SDK signs by its own clock.
      const transport = watched(async ({ body }) => {
        await uploader.deliver(() => JSON.parse(body.toString()) as SessionReport);
        return replies.at(-1)!;
      });
      await ledger.send(first, transport);
      const statuses = replies.map(({ status, body }) => (status === 200 ? 200 : (body as { reason: string }).reason));
      const healed = requests === 2 ? ['timestamp_out_of_window', 200] : [200];
      expect({ name, statuses }).toEqual({ name, statuses: healed });
      // The device keeps the correction: the next upload needs one request.
      await ledger.send({ ...source.next(), device: first.device }, transport);
      expect(replies.at(-1)!.status).toBe(200);
      expect(replies).toHaveLength(requests + 1);
      injected();
    }
  },
});
