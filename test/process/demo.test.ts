// `npm run demo` as a process against the built service: its numbers agree, also after a `kill -9`, and it notices a difference.
import { existsSync } from 'node:fs';
import path from 'node:path';
import {
  clearAway,
  newDataDir,
  queryEmbedded,
  runBuilt,
  startService,
  until,
  type RunningProcess,
} from '../support/serviceProcess.ts';

afterEach(clearAway);

interface Stage {
  prepare?(dataDir: string): Promise<unknown>;
  analytics?: 'embedded' | 'database' | 'off';
}

/** Uses a port that a second service can take over. `prepare` sees the migrated database before the demo starts. */
async function startStage(devices: number, { prepare, analytics = 'embedded' }: Stage = {}) {
  const dataDir = newDataDir();
  const service = await startService({ DATA_DIR: dataDir, ANALYTICS: analytics });
  await prepare?.(dataDir);
  const port = new URL(service.url).port;
  const words = ['--devices', String(devices), '--days', '1', '--seed', '3'];
  const demo = runBuilt('test/tools/demo/main.js', { DATA_DIR: dataDir, PORT: port }, words);
  return { dataDir, port, service, demo };
}

async function underWay(demo: RunningProcess): Promise<void> {
  await until(() => (/[1-9]\d* uploads acknowledged/.test(demo.stdout()) ? true : undefined), demo);
}

interface Line {
  name: string;
  state: string;
  /** The count of the devices and the count in the service's response. */
  cells: [number, number][];
}

/** The lines of the campaigns. */
function campaignLines(stdout: string): Line[] {
  return [...stdout.matchAll(/^ {2}(\S.*?) +([A-Z]{4,})((?: +\d+[=≠]\d+){9})$/gm)].map(([, name, state, cells]) => ({
    ...{ name: name!, state: state! },
    cells: [...cells!.matchAll(/(\d+)[=≠](\d+)/g)].map(([, one, other]) => [Number(one), Number(other)]),
  }));
}

test('all agrees after a kill -9 in mid-run: campaigns with the paused one, purchases, sales, attribution, analytics', async () => {
  const { dataDir, port, service, demo } = await startStage(12);
  await underWay(demo);
  expect(existsSync(path.join(dataDir, 'demo-store.json'))).toBe(true);
  await service.end('SIGKILL');
  await startService({ DATA_DIR: dataDir, PORT: port, ANALYTICS: 'embedded' });
  const { code } = await demo.ended;
  expect([code, demo.stderr()]).toEqual([0, '']);
  expect(demo.stdout()).toContain('All agree:');
  expect(existsSync(path.join(dataDir, 'demo-store.json'))).toBe(false);

  const lines = campaignLines(demo.stdout());
  expect(lines.map(({ name, state }) => [name, state])).toEqual([
    ['Every opening', 'PAUSED'],
    ...['First launch', 'Plan changed', 'Cart offer', 'Survey', 'Guided tour'].map((name) => [name, 'ACTIVE']),
    ...['Tooltip', 'Last day only'].map((name) => [name, 'ACTIVE']),
    ['Next week', 'SCHEDULED'],
  ]);
  for (const { cells } of lines) for (const [counted, served] of cells) expect(counted).toBe(served);
  const shown = await queryEmbedded<{ name: string; count: number }>(
    dataDir,
    "SELECT name, count::int FROM campaign_counts JOIN campaigns ON id = campaign_id WHERE outcome = 'shown' ORDER BY 1",
  );
  const printed = lines.map(({ name, cells }) => ({ name, count: cells[0]![0] })).filter(({ count }) => count > 0);
  expect(printed.sort((one, other) => (one.name < other.name ? -1 : 1))).toEqual(shown);

  const [, before, chances, after] =
    /was shown (\d+) times before[\s\S]* flush (\d+) events would have set it off: shown (\d+) times/.exec(
      demo.stdout(),
    )!;
  expect([Number(before) > 0, Number(chances) > 0, Number(after)]).toEqual([true, true, 0]);
  const [, sold, reported, lookedUp] = /Purchases +(\d+) transactions, (\d+) reported, (\d+) looked up/.exec(
    demo.stdout(),
  )!;
  expect([Number(sold) > 0, reported, lookedUp]).toEqual([true, sold, sold]);
  const rows = salesRows(demo.stdout());
  expect(rows.filter(([, , , agrees]) => agrees !== 'yes')).toEqual([]);
  expect(rows.map(([product, state]) => `${product} ${state}`)).toEqual(
    expect.arrayContaining([
      ...['bought', 'introductory', 'renewal', 'upgrade', ...linesOfSubscriptions].map(
        (state) => `demo.monthly ${state}`,
      ),
      ...['family share', 'family share revoked'].map((state) => `demo.family ${state}`),
      ...['second phone: holds', "stranger's phone: owned_by_another"].map((state) => `demo.monthly ${state}`),
      'demo.basic upgraded',
    ]),
  );
  expectAnalyticsToAgree(demo.stdout());
  expect(demo.stdout()).toContain('12 devices reported, 12 acknowledged, 12 read back as reported');
});

/** The rows of the closing table, as words. */
function salesRows(stdout: string): string[][] {
  return [...stdout.matchAll(/^ {2}(\S+) +(\S.*?) {2,}(\d.*?) {3}(yes|NO)$/gm)].map((match) => match.slice(1));
}

/** Its last table, row by row. */
function expectAnalyticsToAgree(stdout: string): void {
  const rows = [
    ...stdout.matchAll(/^ {2}((?:Activity|Series|Funnel|Retention|Revenue)\b.*?) {2,}(\S+) +(\S+) {3}(yes|NO)$/gm),
  ];
  expect(rows.filter(([, , counted, said, agrees]) => counted !== said || agrees !== 'yes')).toEqual([]);
  expect(rows.map(([, name]) => name)).toEqual(
    expect.arrayContaining([
      ...['Activity: active devices', 'Activity: active users', 'Series: AppOpened', 'Funnel, step 3: ProductAdded'],
      ...['Retention, day 1', 'Revenue: gross, EUR', 'Revenue: refunds, EUR', 'Revenue: renewals'],
    ]),
  );
}

const linesOfSubscriptions = ['active', 'expired', 'in billing retry', 'in grace', 'refunded'];

/** Uses a trigger: an UPDATE from here could come after the demo has read the counts. */
const falsifyFirstCount = `
  CREATE FUNCTION falsify() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE campaign_counts SET count = count + 5 FROM campaigns
    WHERE id = campaign_id AND name = 'Every opening' AND (campaign_id, outcome) = (NEW.campaign_id, NEW.outcome);
    RETURN NULL;
  END $$;
  CREATE TRIGGER falsify AFTER INSERT ON campaign_counts FOR EACH ROW WHEN (NEW.outcome = 'shown') EXECUTE FUNCTION falsify()`;

test('a count that is not the devices’ is seen: the line shows both, and the exit code is 1', async () => {
  const { demo } = await startStage(6, {
    prepare: (dataDir) => queryEmbedded(dataDir, falsifyFirstCount),
    analytics: 'database',
  });
  expect(await demo.ended).toEqual({ code: 1, signal: null });
  const [counted, served] = campaignLines(demo.stdout())[0]!.cells[0]!;
  expect(served).toBe(counted + 5);
  expect(demo.stdout()).toContain(`They DISAGREE:\n  Every opening: shown is ${counted} on the devices`);
  expectAnalyticsToAgree(demo.stdout());
});

test('a service without analytics is told of before the run, with what to do', async () => {
  const { demo } = await startStage(6, { analytics: 'off' });
  expect(await demo.ended).toEqual({ code: 1, signal: null });
  expect(demo.stderr()).toMatch(/ANALYTICS=off.*Start it with ANALYTICS=embedded/);
});

test.each<[string, Record<string, string>, RegExp]>([
  ['no service', { PORT: '1' }, /No service answers at http:\/\/127\.0\.0\.1:1: start it with npm start/],
  ['another store', { STORE_API_URL: 'http://127.0.0.1:9' }, /without STORE_API_URL/],
])('with %s it says what to do and ends with 1', async (_, env, words) => {
  const demo = runBuilt('test/tools/demo/main.js', { DATA_DIR: newDataDir(), ...env });
  expect(await demo.ended).toEqual({ code: 1, signal: null });
  expect(demo.stderr()).toMatch(words);
});
