// The pages of docs/analytics: each question, asked on each engine, has the response that the page shows.
import type { AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { openEngines, type TestEngine } from '../support/analytics/engines.ts';
import { storeDrawn } from '../support/analytics/storeDrawn.ts';
import { storeLines } from '../support/analytics/storePurchases.ts';
import { askedAt, exampleData, workedExamples } from '../support/analytics/workedExamples.ts';
import { exampleLines } from '../support/analytics/workedPurchases.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

let service: TestService;
let engines: TestEngine[];
let asked: AnalyticsEngine;
let viewer: TestUser;
let applicationId: string;
beforeAll(async () => {
  service = await startTestService({
    now: () => askedAt,
    change: (deps) => ({
      ...deps,
      // The dialect is read at each question too.
      analytics: {
        get dialect() {
          return asked.dialect;
        },
        ask: (question) => asked.ask(question),
        close: () => Promise.resolve(),
      },
    }),
  });
  engines = openEngines(service.database);
  ({ applicationId } = await storeDrawn(service.database, exampleData()));
  await storeLines(service.database.pool, applicationId, exampleLines());
  viewer = await newUser(service, await organizationOf(service, applicationId), 'viewer');
});
afterAll(async () => {
  for (const { engine } of engines) await engine.close();
  await service.stop();
});

const examples = workedExamples();

test('there are examples', () => {
  expect(examples.length).toBeGreaterThan(0);
});

test.each(examples)('$page', async ({ query, response }) => {
  for (const { name, engine, follow } of engines) {
    asked = engine;
    await follow();
    const { data, errors } = await viewer.ask(query, { app: applicationId });
    expect({ name, errors, data }).toEqual({ name, errors: [], data: response });
  }
});
