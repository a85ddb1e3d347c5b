// Device.installs after sequences of uploads in any order, against a plain reference.
import { deviceKey } from '../../src/devices/deviceKey.ts';
import { findDevice } from '../../src/devices/deviceStore.ts';
import { inTransaction } from '../../src/platform/database/transaction.ts';
import { sessionRows } from '../../src/sessions/sessionRows.ts';
import { deviceRows, upsertDevices } from '../../src/sessions/writer/uploadsStore.ts';
import { createTestDatabase, type TestDatabase } from '../support/testDatabase.ts';
import { aDevice, aReport } from '../support/uploads.ts';
import { randomSource } from '../tools/demo/simulation/randomSource.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const applicationId = '01990000-0000-7000-8000-000000000001';
interface Sent {
  install: number;
  at: number;
}

function reportOf(id: string, install: number) {
  const device = aDevice(id);
  return aReport({
    device: {
      ...device,
      properties: { ...device.properties, vendorIdentifier: `v ${install}`, installDatetime: install },
    },
  });
}

async function store(id: string, { install, at }: Sent): Promise<void> {
  const { device } = sessionRows(reportOf(id, install), { applicationId, stateAt: at });
  await inTransaction(database.pool, (transaction) => upsertDevices(transaction, deviceRows([device], null)));
}

async function installsOf(id: string): Promise<(string | number)[][]> {
  const [found] = await findDevice(database.pool, { key: deviceKey(applicationId, id), bytes: 1e6 });
  const rows = found!.installs.map(({ vendorIdentifier, firstSeenAt, lastSeenAt }) => [
    vendorIdentifier,
    firstSeenAt.getTime(),
    lastSeenAt.getTime(),
  ]);
  return rows.sort();
}

function expected(sent: Sent[]): (string | number)[][] {
  const rows = [...new Set(sent.map(({ install }) => install))].map((install) => {
    const millis = sent.filter((other) => other.install === install).map(({ at }) => at * 1_000);
    return [`v ${install}`, Math.min(...millis), Math.max(...millis)];
  });
  return rows.sort();
}

/** Rows of the release before: every install in the JSON. Of immutable functions alone, as a cluster wants them. */
const asBefore = `UPDATE devices SET install_since = NULL, installs = installs || ('{"' ||
  (properties ->> 'installDatetime') || ' ' || (properties ->> 'vendorIdentifier') || '": [' || install_since::text || ', ' ||
  extract(epoch FROM state_at - 'epoch'::timestamptz)::text || ']}')::jsonb WHERE install_since IS NOT NULL`;

test.each(['this release', 'the release before'])(
  'each install has its first and last time, with rows of %s',
  async (by) => {
    const random = randomSource(7, by);
    for (let device = 0; device < 40; device++) {
      const id = `device-${by}-${device}`;
      const sent: Sent[] = [];
      for (let upload = 0; upload < 8; upload++) {
        const next = { install: random.between(1, 3), at: 1_789_000_000 + random.between(0, 5) + 0.25 };
        sent.push(next);
        await store(id, next);
        if (by !== 'this release' && upload === 3) await database.pool.query(asBefore);
        expect([sent, await installsOf(id)]).toEqual([sent, expected(sent)]);
      }
    }
  },
);
