// Every read of analytics charges the objects of its response to the budget of the request: schema.graphql, "Responses".
import { randomUUID } from 'node:crypto';
import { activity } from '../../src/analytics/activity.ts';
import type { AnalyticsNeeds } from '../../src/analytics/askedApplication.ts';
import { devices } from '../../src/analytics/devices.ts';
import { devicesBehind } from '../../src/analytics/devicesBehind.ts';
import { eventNames } from '../../src/analytics/eventNames.ts';
import { eventSeries } from '../../src/analytics/eventSeries.ts';
import { funnel } from '../../src/analytics/funnel.ts';
import { ingestIssues } from '../../src/analytics/ingestIssues.ts';
import { propertyNames } from '../../src/analytics/propertyNames.ts';
import { recentEvents } from '../../src/analytics/recentEvents.ts';
import { retention } from '../../src/analytics/retention.ts';
import { revenue } from '../../src/analytics/revenue.ts';
import { revenueCurrencies } from '../../src/analytics/revenueCurrencies.ts';
import { subscriptions } from '../../src/analytics/subscriptions.ts';
import { userDevices } from '../../src/analytics/userDevices.ts';
import { mostBytes, mostRows, type AnswerBudget, type Cost } from '../../src/platform/answerBudget.ts';
import { analyticsQueries, type AnalyticsField } from '../support/analyticsQueries.ts';
import { fillApplication } from '../support/removal.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf } from '../support/testUsers.ts';
import { aDevice, anEvent, aReport, aSession } from '../support/uploads.ts';

type Needs = AnalyticsNeeds & Pick<TestService['deps'], 'adminPool'>;

let service: TestService;
let organizationId: string;
const charged: Cost[] = [];
const budget: AnswerBudget = {
  async read(fetch, costOf) {
    const found = await fetch({ limit: mostRows + 1, bytes: mostBytes });
    charged.push(costOf(found));
    return found;
  },
};
beforeAll(async () => {
  service = await startTestService();
  const { application, client } = service;
  organizationId = await organizationOf(service, application.id);
  await fillApplication(service, application);
  for (const id of ['d1', 'd2']) {
    const params = [{ name: 'price', value: 5 }];
    const events = [anEvent({ name: 'Bought', params }), anEvent({ name: 'Viewed', params })];
    const report = aReport({ user: { id: 'ann' }, device: aDevice(id), sessions: [aSession({ events })] });
    expect((await client.send('reportSessions', { 'X-Api-Key': application.key.public }, report)).status).toBe(200);
  }
});
beforeEach(() => charged.splice(0));
afterAll(() => service.stop());

const needs = (): Needs => ({
  ...{ budget, analytics: service.deps.analytics, prisma: service.deps.prisma, adminPool: service.deps.adminPool },
  caller: { id: randomUUID(), organizationId, role: 'viewer', service: null } as unknown as Needs['caller'],
  signal: new AbortController().signal,
  now: () => new Date(),
});

const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
const range = () => ({ applicationId: service.application.id, from: day(-700), to: day(0) });
const one = () => ({ applicationId: service.application.id });
const bought = { name: 'Bought', type: 'CUSTOM' as const };
const breakdown = { scope: 'EVENT' as const, property: 'price' };

const reads: Record<AnalyticsField, (needs: Needs) => Promise<unknown>> = {
  activity: (own) => activity({ input: { ...range(), from: day(-300), compare: true } }, own),
  devices: (own) => devices(one(), own),
  devicesBehind: (own) => devicesBehind({ of: { activity: range() }, point: { activity: { figure: 'ACTIVE' } } }, own),
  eventNames: (own) => eventNames(one(), own),
  eventSeries: (own) => eventSeries({ input: { ...range(), events: [bought, bought], breakdown } }, own),
  funnel: (own) =>
    funnel({ input: { ...range(), steps: [bought, bought], within: { value: 1, unit: 'DAY' }, breakdown } }, own),
  ingestIssues: (own) => ingestIssues({ ...range(), from: day(-30) }, own),
  propertyNames: (own) => propertyNames({ ...one(), scope: 'DEVICE' }, own),
  recentEvents: (own) => recentEvents(one(), own),
  retention: (own) => retention({ input: { ...range(), start: { firstSeen: true }, returning: { any: true } } }, own),
  revenue: (own) => revenue({ input: { ...range(), currency: 'EUR', breakdown: 'PRODUCT', includeTest: true } }, own),
  revenueCurrencies: (own) => revenueCurrencies({ ...one(), includeTest: true }, own),
  subscriptions: (own) => subscriptions({ ...one(), includeTest: true }, own),
  userDevices: (own) => userDevices({ ...one(), userId: 'ann' }, own),
};

/** The objects of lists, at any depth, as the contract counts them. */
function objectsIn(value: unknown): number {
  if (Array.isArray(value))
    return value.reduce<number>((sum, each) => sum + objectsIn(each) + Number(isObject(each)), 0);
  if (!isObject(value)) return 0;
  // A JSON value is one value: its own lists are no objects of the response.
  const { params, ...others } = value as { params?: unknown };
  return objectsIn(Array.isArray(params) ? params : null) + objectsIn(Object.values(others).filter(isList));
}

const isList = Array.isArray;
const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !isList(value) && !(value instanceof Date);

test('every read is held against its objects', () => {
  expect(Object.keys(reads).sort()).toEqual(Object.keys(analyticsQueries).sort());
});

test.each(Object.entries(reads))('%s charges each object of its response', async (name, read) => {
  const found = await read(needs());
  expect(charged).toHaveLength(1);
  const objects = objectsIn(found);
  if (!['revenue', 'revenueCurrencies', 'subscriptions'].includes(name)) expect(objects).toBeGreaterThan(0);
  expect([name, charged[0]!.rows >= objects, charged[0]!.bytes > 0]).toEqual([name, true, true]);
});

test('a client whose clock is a little ahead asks for the subscriptions of now', async () => {
  const at = (millis: number) => subscriptions({ ...one(), at: new Date(Date.now() + millis) }, needs());
  expect(await at(50_000)).toMatchObject({ active: 0 });
  await expect(at(70_000)).rejects.toMatchObject({ details: { fields: [{ path: 'at' }] } });
});

test('a response of more objects than the limit is refused', async () => {
  const viewer = await newUser(service, organizationId, 'viewer');
  const fields = [0, 1, 2, 3, 4, 5].map((at) => `a${at}: eventSeries(input: $input) { asOf }`);
  const input = { ...range(), events: Array.from({ length: 5 }, () => bought) };
  const { data, errors } = await viewer.ask(`query Q($input: EventSeriesInput!) { ${fields.join(' ')} }`, { input });
  expect(errors.map(({ extensions }) => extensions['code'])).toContain('BAD_USER_INPUT');
  expect(JSON.stringify(errors)).toContain('20000 objects');
  expect(Object.values(data!)).toContain(null);
});
