// Senders that stop in the middle of a body or send slowly: the service stores nothing of them, frees their memory and serves the others.
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { peakMebibytes } from '../bench/ingest/measure/processUsage.ts';
import { median, percentile } from '../bench/ingest/measure/statistics.ts';
import { eventually } from '../support/eventually.ts';
import { clearAway, type RunningService } from '../support/serviceProcess.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { newFaultApplication, startFaultService } from './support/faultService.ts';
import { isLong } from './support/form.ts';
import { openSender, requestBytes, type RawSender } from './support/rawUpload.ts';
import { testFault, type FaultContext } from './support/scenario.ts';
import type { Trial } from './support/trial.ts';

const memoryMebibytes = 512;
let database: TestDatabase;
let service: RunningService;
let ended = false;
beforeAll(async () => {
  database = await createTestDatabase();
  service = await startFaultService(database.url);
  void service.ended.then(() => (ended = true));
});
afterEach(() => expect(ended).toBe(false));
afterAll(async () => {
  await clearAway();
  await database.drop();
});

const sockets = () => readdirSync(`/proc/${service.pid}/fd`).length;

/** The memory of buffers, which hold the bodies. */
async function bufferMebibytes(): Promise<number> {
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  return Number(/^nodejs_external_memory_bytes (\S+)/m.exec(metrics)![1]) / 1_048_576;
}

/** A trial under light load, and whole requests of the same application that its ledger does not know. */
async function loaded({ trial }: FaultContext): Promise<{ steady: Trial; unrecorded: (bytes: number) => Buffer }> {
  const own = await newFaultApplication(database.url);
  const steady = await trial({ ...own, databaseUrl: database.url, url: () => service.url });
  steady.load(4);
  await steady.recovered();
  const unrecorded = (bytes: number): Buffer =>
    requestBytes(own.application, steady.source.next(), { padding: 'x'.repeat(bytes) });
  return { steady, unrecorded };
}

/** Each sender stops somewhere in its body. Every second one hangs up; the others stay open until the caller closes them. */
async function sendHalves(count: number, next: () => { bytes: Buffer; cut: number }): Promise<RawSender[]> {
  const staying: RawSender[] = [];
  for (let sent = 0; sent < count; sent += 20) {
    const senders = await Promise.all(Array.from({ length: 20 }, () => openSender(service.url)));
    senders.forEach((sender, index) => {
      const { bytes, cut } = next();
      sender.write(bytes.subarray(0, cut));
      if (index % 2 === 0) staying.push(sender);
      else setTimeout(() => sender.hangUp(), 200);
    });
  }
  return staying;
}

testFault({
  name: 'half-sent bodies',
  times: { short: 1_000, long: 1_000 },
  async run(context) {
    const { steady, unrecorded } = await loaded(context);
    const before = { sockets: sockets(), buffers: await bufferMebibytes() };
    const staying = await sendHalves(context.times, () => {
      const bytes = unrecorded(context.random.between(0, 60_000));
      return { bytes, cut: context.random.between(bytes.indexOf('\r\n\r\n') + 4, bytes.length - 1) };
    });
    context.injected(context.times);
    await steady.recovered();
    expect(sockets()).toBeGreaterThan(before.sockets + staying.length / 2);
    for (const sender of staying) sender.hangUp();
    await eventually(
      async () => sockets(),
      (open) => open < before.sockets + 30,
    );
    await eventually(bufferMebibytes, (buffers) => buffers < before.buffers + 16);
    expect(staying.filter((sender) => sender.status() !== null)).toEqual([]);
    expect(peakMebibytes(service.pid)).toBeLessThan(memoryMebibytes);
  },
});

testFault({
  name: 'half-sent bodies of nearly 2 MiB',
  times: { short: 300, long: 1_000 },
  async run(context) {
    const { steady, unrecorded } = await loaded(context);
    const bytes = unrecorded(2_000_000);
    const staying = await sendHalves(context.times, () => ({ bytes, cut: bytes.length - 1 }));
    context.injected(context.times);
    await steady.recovered();
    // The service refuses the oldest requests with 503 to free memory, and keeps the rest.
    await eventually(
      async () => staying.filter((sender) => sender.status() === 503 && sender.isClosed()).length,
      (refused) => refused > staying.length / 2,
    );
    for (const sender of staying) sender.hangUp();
    await eventually(bufferMebibytes, (buffers) => buffers < 64);
    expect(peakMebibytes(service.pid)).toBeLessThan(memoryMebibytes);
    await steady.recovered();
  },
});

/** gzip makes it some 140 times shorter, and the service takes 200. */
const dense = Array.from({ length: 10_000 }, () => randomBytes(4).toString('hex') + 'x'.repeat(792)).join('');

for (const { name, padding, status: expected } of [
  { name: 'bodies that inflate a thousandfold, to 8 MB', padding: 'x'.repeat(8_000_000), status: 413 },
  { name: 'bodies that inflate to 8 MB, as far as allowed', padding: dense, status: 200 },
]) {
  testFault({
    name,
    times: { short: 300, long: 1_000 },
    async run(context) {
      const { steady } = await loaded(context);
      // The upload is stored once. It uses another application, because the ledger does not know it.
      const { application } = await newFaultApplication(database.url);
      const request = requestBytes(application, steady.source.next(), { padding, gzip: true });
      const senders = await Promise.all(Array.from({ length: context.times }, () => openSender(service.url)));
      for (const sender of senders) sender.write(request);
      context.injected(context.times);
      await eventually(
        async () => senders.every((sender) => sender.status() !== null),
        (served) => served,
      );
      for (const sender of senders) sender.hangUp();
      expect(peakMebibytes(service.pid)).toBeLessThan(memoryMebibytes);
      // Some requests waited too long or exceeded the queue: they get 503.
      const statuses = senders.map((sender) => sender.status());
      expect(statuses.filter((status) => status !== 503)).toContain(expected);
      expect(statuses.filter((status) => status !== 503 && status !== expected)).toEqual([]);
      await steady.recovered();
    },
  });
}

/** The 99th percentile in milliseconds of uploads sent one after the other for `millis`. */
async function p99(steady: Trial, millis: number): Promise<number> {
  const took: number[] = [];
  for (const end = Date.now() + millis; Date.now() < end;) {
    const start = performance.now();
    expect((await steady.send())?.status).toBe(200);
    took.push(performance.now() - start);
  }
  return percentile(
    took.sort((a, b) => a - b),
    0.99,
  );
}

testFault({
  name: '200 slow senders, for seconds',
  times: { short: 20, long: 20 },
  async run(context) {
    const { steady, unrecorded } = await loaded(context);
    const windows = Array.from({ length: 5 }, () => (isLong ? 4_000 : 1_000));
    const normal: number[] = [];
    for (const millis of windows) normal.push(await p99(steady, millis));
    const senders = await Promise.all(Array.from({ length: 200 }, () => openSender(service.url)));
    const requests = senders.map((_, index) => {
      const bytes = unrecorded(100_000);
      // Half of the senders never finish their headers, the others never their body.
      return { bytes, sent: index % 2 === 0 ? 10 : bytes.indexOf('\r\n\r\n') + 4 };
    });
    requests.forEach(({ bytes, sent }, index) => senders[index]!.write(bytes.subarray(0, sent)));
    context.injected(senders.length);
    const trickle = setInterval(() => {
      requests.forEach((request, index) => {
        senders[index]!.write(request.bytes.subarray(request.sent, request.sent + 1));
        request.sent += 1;
      });
    }, 250);
    const slow: number[] = [];
    const end = Date.now() + context.times * 1_000;
    for (const millis of windows) slow.push(await p99(steady, millis));
    await pause(Math.max(0, end - Date.now()));
    // Headers may take 10 s and a request 30 s.
    const [headers, bodies] = [0, 1].map((rest) => senders.filter((_, index) => index % 2 === rest));
    await eventually(
      async () => headers!.every((sender) => sender.isClosed()),
      (all) => all,
    );
    expect(new Set(headers!.map((sender) => sender.status()))).toEqual(new Set([408]));
    if (isLong)
      await eventually(
        async () => bodies!.every((sender) => sender.isClosed()),
        (all) => all,
      );
    clearInterval(trickle);
    for (const sender of senders) sender.hangUp();
    process.stdout.write(
      `p99 of healthy requests: ${median(normal).toFixed(1)} ms, beside slow senders ${median(slow).toFixed(1)} ms\n`,
    );
    if (isLong) expect(median(slow) / median(normal)).toBeLessThanOrEqual(2);
    await steady.recovered();
  },
});
