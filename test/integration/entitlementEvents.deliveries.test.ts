// Events about entitlements up to the receiver: two workers deliver each at least once, and those of one entitlement in order.
import { eventually } from '../support/eventually.ts';
import { dayOf, startEventTest, subscribe, tick, type EventTest } from '../support/entitlementEvents.ts';

let events: EventTest;
let stopSecond: () => Promise<void>;
beforeAll(async () => {
  events = await startEventTest();
  stopSecond = await events.startWorker();
});
afterAll(async () => {
  await stopSecond();
  await events.stop();
});

const deliveries = (line: string) => events.receiver.received.filter(({ body }) => body.data['id'] === line);
/** An event that was delivered twice counts once, as it does for a receiver that knows its id. */
const arrived = (line: string, from = 0) =>
  [
    ...new Map(
      deliveries(line)
        .slice(from)
        .map(({ id, body }) => [id, body.type]),
    ).values(),
  ].map((type) => type.replace('entitlement.', ''));
/** Without the first `from` deliveries. */
const arrives = (line: string, types: string[], from = 0) =>
  eventually(
    async () => arrived(line, from),
    (got) => got.length >= types.length,
  ).then((got) => expect(got).toEqual(types));

test('the lives of ten subscriptions arrive signed and in order, with the ends told by both workers at once', async () => {
  events.at(0);
  const lines: Awaited<ReturnType<typeof subscribe>>[] = [];
  while (lines.length < 10) lines.push(await subscribe(events, { autoRenew: false }));
  for (const { line } of lines) await arrives(line, ['activated']);
  events.at(20);
  for (const { sell, restore } of lines) {
    sell(1);
    await restore();
  }
  // The renewal begins, which was booked ten days before.
  events.at(30);
  await Promise.all([tick(events), tick(events)]);
  for (const { line } of lines) await arrives(line, ['activated', 'renewed']);
  events.at(60);
  await Promise.all([tick(events), tick(events)]);
  for (const { line } of lines) await arrives(line, ['activated', 'renewed', 'expired']);
  events.at(61);
  for (const { sell, restore } of lines) {
    sell(1, { revokedAt: events.now() });
    await restore();
  }
  for (const { line } of lines) await arrives(line, ['activated', 'renewed', 'expired', 'revoked']);
  const { received: all } = events.receiver;
  expect(all.every(({ verified }) => verified)).toBe(true);
  expect(new Set(all.map(({ id }) => id)).size).toBe(40);
});

test('a receiver that fails gets the events of an entitlement later, and in their order', async () => {
  events.at(70);
  events.receiver.respond = (response) => void response.writeHead(503).end();
  const { line, restore, sell } = await subscribe(events, { purchasedAt: events.now(), expiresAt: dayOf(100) });
  await arrives(line, ['activated']);
  events.at(71);
  sell(0, { revokedAt: events.now() });
  await restore();
  const { length: before } = deliveries(line);
  expect(arrived(line)).toEqual(['activated']);
  events.receiver.respond = (response) => void response.end();
  events.at(101);
  await tick(events);
  await events.wakeDeliveries();
  await arrives(line, ['activated', 'revoked'], before);
});
