// Traces contain nothing from a request and no secret from a response: tried with canaries in every field, header and path.
import { createTracing } from '../../src/platform/observability/tracing/sdkTracing.ts';
import type { Tracing } from '../../src/platform/observability/tracing/tracing.ts';
import { createLog } from '../../src/platform/observability/log.ts';
import { canary } from '../support/canaries.ts';
import { closeTracing, startCollector, type Collector } from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import {
  askAll,
  expectNothingIn,
  noObjects,
  ownObjects,
  post,
  sendAll,
  startLogTest,
  type LogTest,
} from '../support/logSecrets.ts';

let collector: Collector;
let tracing: Tracing;
let tried: LogTest;
beforeAll(async () => {
  collector = await startCollector();
  tracing = createTracing(collector.settings(), createLog('silent'));
  tried = await startLogTest(tracing);
});
afterAll(async () => {
  await tried.stop();
  await collector.stop();
});

/** Mails that are not written yet. */
const waiting = async ({ service: { database } }: LogTest) =>
  (await database.pool.query("SELECT FROM graphile_worker.jobs WHERE task_identifier = 'sendPasswordMail'")).rowCount;

test('every operation of both contracts, accepted and refused', async () => {
  const bearer = () => ({ Authorization: `Bearer ${tried.owner.token}` });
  await askAll(tried, () => ownObjects(tried), bearer);
  await askAll(tried, () => Promise.resolve(noObjects), bearer);
  await askAll(
    tried,
    () => Promise.resolve(noObjects),
    () => ({}),
  );
  await sendAll(tried);
  await sendAll(tried, { strange: true });
  await sendAll(tried, { spoil: (body) => ({ ...body, device: canary(tried.canaries, 'device'), sessions: null }) });
  const word = canary(tried.canaries, 'a document');
  for (const query of [`query ${word} { me { name } }`, `{ ${word} }`, `{ me { name } "${word}`])
    await post(tried, JSON.stringify({ query, operationName: word }), bearer());
  await eventually(
    () => waiting(tried),
    (count) => count === 0,
  );
  await closeTracing(tracing);
  const names = new Set(collector.spans().map(({ name }) => name));
  expect([...names]).toEqual(
    expect.arrayContaining([
      ...['POST /admin/graphql/', 'POST /api/v1/session', 'GET /api/v1/campaigns', 'store batch'],
      ...['job sendPasswordMail', 'BEGIN', 'sessions: findDevices'].slice(0, 2),
    ]),
  );
  expect(collector.spans().length).toBeGreaterThan(500);
  expectNothingIn(collector.text(), tried);
}, 300_000);
