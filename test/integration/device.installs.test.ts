// Device.installs: the installations that reported under one device id.
import { sendReport } from '../support/reportSessions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';
import { aDevice, aReport } from '../support/uploads.ts';

let service: TestService;
let viewer: TestUser;
beforeAll(async () => {
  service = await startTestService();
  viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
});
afterAll(() => service.stop());

const query = `query D($app: UUID!, $id: String!) {
  device(applicationId: $app, id: $id) { installs { vendorIdentifier installedAt firstSeenAt lastSeenAt } }
}`;
const read = (id: string) => viewer.ask(query, { app: service.application.id, id });

test('lists each installation that reported under the id, the one seen first first', async () => {
  const device = aDevice();
  const other = { ...device, properties: { ...device.properties, vendorIdentifier: 'a b', installDatetime: 1.5 } };
  for (const from of [device, other, device]) await sendReport(service, aReport({ device: from }));
  const { data } = await read(device.id);
  const { installs } = data!['device'] as { installs: { firstSeenAt: string; lastSeenAt: string }[] };
  expect(installs).toMatchObject([
    { vendorIdentifier: 'vendor-1', installedAt: '2025-10-09T08:53:20.000Z' },
    { vendorIdentifier: 'a b', installedAt: '1970-01-01T00:00:01.500Z' },
  ]);
  const [first, second] = installs as [(typeof installs)[0], (typeof installs)[0]];
  expect(second.firstSeenAt).toBe(second.lastSeenAt);
  expect(first.firstSeenAt < second.firstSeenAt && second.lastSeenAt < first.lastSeenAt).toBe(true);
});

test('takes no new installation beyond 65,536 characters, and goes on with those that it has', async () => {
  const device = aDevice();
  const install = (at: number) => ({
    ...device,
    properties: { ...device.properties, vendorIdentifier: `${at}${'x'.repeat(8_000)}` },
  });
  for (let at = 0; at < 10; at++) await sendReport(service, aReport({ device: install(at) }));
  await sendReport(service, aReport({ device: install(0) }));
  const { data } = await read(device.id);
  const { installs } = data!['device'] as { installs: { vendorIdentifier: string; lastSeenAt: string }[] };
  expect(installs.map(({ vendorIdentifier }) => vendorIdentifier[0])).toEqual([...'012345678']);
  expect(installs[0]!.lastSeenAt > installs[8]!.lastSeenAt).toBe(true);
});
