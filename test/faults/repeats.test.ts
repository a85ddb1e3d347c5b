// Networks and retrying devices send uploads in simultaneous copies, in overlapping batches, and in any order.
import { startTestService, type TestService } from '../support/testService.ts';
import { createCampaign } from '../support/testWorkspace.ts';
import { aDevice, aReport, aSession, type Session } from '../support/uploads.ts';
import { testFault, type FaultContext } from './support/scenario.ts';
import { uuidOf } from './support/seed.ts';
import type { Trial } from './support/trial.ts';

const copies = 50;
const atOnce = 16;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({ signatureRequired: true });
});
afterAll(() => service.stop());

async function quiet({ trial }: FaultContext): Promise<Trial> {
  const application = await service.newApplication();
  const campaignIds = [await createCampaign(service.database.prisma, application.id)];
  return trial({ databaseUrl: service.database.url, url: () => service.url, application, campaignIds });
}

/** Works through the items in their order, `atOnce` at a time. */
async function sideBySide<Item>(items: Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  const left = [...items].reverse();
  const worker = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

testFault({
  name: `uploads in ${copies} copies at once`,
  times: { short: 200, long: 1_000 },
  async run(context) {
    const { ledger, source, transport } = await quiet(context);
    for (let upload = 0; upload < context.times; upload++) {
      const entry = ledger.record(source.next());
      // A client may send the same bytes again under the same nonce or as a new request.
      const nonces = Array.from({ length: copies }, () =>
        context.random.chance(0.5) ? entry.nonce : ledger.newNonce(),
      );
      const replies = await Promise.all(nonces.map((nonce) => ledger.deliver(entry, transport, nonce)));
      expect(new Set(replies.map((reply) => reply?.status))).toEqual(new Set([200]));
      context.injected(copies - 1);
    }
  },
});

testFault({
  name: 'overlapping batches: the same events in differing uploads',
  times: { short: 300, long: 3_000 },
  async run(context) {
    const { random, times, injected } = context;
    const { ledger, source, transport } = await quiet(context);
    const pool = Array.from({ length: Math.ceil(times / 10) }, () => ({
      device: aDevice(uuidOf(random)),
      sessions: Array.from({ length: 3 }, () =>
        aSession({ id: uuidOf(random), events: Array.from({ length: 12 }, () => source.event()) }),
      ),
    }));
    const part = (session: Session): Session => {
      const events = random.shuffle(session.events!).slice(0, random.between(1, 12));
      return { ...session, events: random.chance(0.2) ? [...events, events[0]!] : events };
    };
    const uploads = Array.from({ length: times }, (_, index) => {
      const { device, sessions } = pool[index % pool.length]!;
      // Some requests contain a session twice.
      const named = [
        ...random.shuffle(sessions).slice(0, random.between(1, 3)),
        random.pick([sessions[0]!, sessions[1]!]),
      ];
      return aReport({ user: { id: `user-${index}` }, device, sessions: named.map(part) });
    });
    await sideBySide(random.shuffle(uploads), (report) => {
      injected();
      return ledger.send(report, transport);
    });
  },
});

testFault({
  name: 'sessions whose parts arrive in shuffled order',
  times: { short: 1_000, long: 10_000 },
  async run(context) {
    const { random, times, injected } = context;
    const { ledger, source, transport } = await quiet(context);
    const devices = Array.from({ length: Math.ceil(times / 10) }, () => aDevice(uuidOf(random)));
    const parts = Array.from({ length: times }, (_, index) => {
      const device = devices[index % devices.length]!;
      const session = aSession({ id: uuidOf(random) });
      const some = () => Array.from({ length: random.between(1, 4) }, () => source.event());
      // The start, the middle and the end of a session, each in its own upload.
      return [null, null, '2026-09-10T03:26:40+02:00'].map((finishDate) => ({
        device,
        session: { ...session, finishDate, events: some() },
      }));
    });
    await sideBySide(random.shuffle(parts.flat()), ({ device, session }) =>
      ledger.send(aReport({ device, sessions: [session] }), transport),
    );
    injected(times);
  },
});
