// The refusals of every query of analytics, and of all of them where analytics is off.
import { offEngine } from '../../src/analytics/engine/engine.ts';
import { analyticsQueries } from '../support/analyticsQueries.ts';
import { testRefusedQuestions, withArguments, withInput } from '../support/refusedQuestions.ts';
import { startTestService, type TestService } from '../support/testService.ts';
import { newUser, organizationOf, type TestUser } from '../support/testUsers.ts';

/** Each block has an application of its own in it, unless it starts a service for itself. */
let shared: TestService;
beforeAll(async () => {
  shared = await startTestService();
});
afterAll(() => shared.stop());

// query activity: its refusals.
describe('activity', () => {
  testRefusedQuestions(() => shared, {
    query: ['($input: ActivityInput!)', 'activity(input: $input) { asOf }'],
    right: (applicationId) => ({ input: { applicationId, from: '2026-03-01', to: '2026-03-28' } }),
    wrong: [
      [withInput({ to: '2026-02-28' }), 'input.to'],
      [withInput({ to: '2028-03-01' }), 'input.to'],
      [withInput({ from: '1969-12-31', to: '1969-12-31' }), 'input.from'],
      [withInput({ timeZone: 'Europe/Nowhere' }), 'input.timeZone'],
    ],
  });
});

// query eventSeries: its refusals.
describe('eventSeries', () => {
  testRefusedQuestions(() => shared, {
    query: ['($input: EventSeriesInput!)', 'eventSeries(input: $input) { asOf }'],
    right: (applicationId) => ({
      input: { applicationId, from: '2026-03-01', to: '2026-03-28', events: [{ name: 'Purchased', type: 'CUSTOM' }] },
    }),
    wrong: [
      [withInput({ to: '2026-02-28' }), 'input.to'],
      [withInput({ to: '2028-03-01' }), 'input.to'],
      [withInput({ from: '1969-12-31', to: '1969-12-31' }), 'input.from'],
      [withInput({ timeZone: 'Europe/Nowhere' }), 'input.timeZone'],
      [withInput({ events: [] }), 'input.events'],
      [withInput({ measure: 'SUM' }), 'input.property'],
      [withInput({ property: 'price' }), 'input.property'],
      [withInput({ interval: 'HOUR', to: '2026-04-01' }), 'input.to'],
      [withInput({ breakdown: { scope: 'DEVICE', property: 'color' } }), 'input.breakdown.property'],
      [withInput({ events: [{ name: ' ', type: 'CUSTOM' }] }), 'input.events[0].name'],
      [
        withInput({
          events: [{ name: 'A', type: 'CUSTOM', filters: [{ property: 'p', scope: 'EVENT', op: 'GT', value: true }] }],
        }),
        'input.events[0].filters[0].value',
      ],
      [
        withInput({
          events: [
            { name: 'A', type: 'CUSTOM', filters: Array(21).fill({ property: 'p', scope: 'EVENT', op: 'EXISTS' }) },
          ],
        }),
        'input.events[0].filters',
      ],
    ],
  });
});

// query funnel: its refusals.
describe('funnel', () => {
  testRefusedQuestions(() => shared, {
    query: ['($input: FunnelInput!)', 'funnel(input: $input) { asOf }'],
    right: (applicationId) => ({
      input: {
        applicationId,
        from: '2026-03-01',
        to: '2026-03-28',
        steps: [
          { name: 'Purchased', type: 'CUSTOM' },
          { name: 'Purchased', type: 'CUSTOM' },
        ],
        within: { value: 1, unit: 'DAY' },
      },
    }),
    wrong: [
      [withInput({ to: '2026-02-28' }), 'input.to'],
      [withInput({ to: '2028-03-01' }), 'input.to'],
      [withInput({ from: '1969-12-31', to: '1969-12-31' }), 'input.from'],
      [withInput({ timeZone: 'Europe/Nowhere' }), 'input.timeZone'],
      [withInput({ steps: [{ name: 'Purchased', type: 'CUSTOM' }] }), 'input.steps'],
      [withInput({ steps: Array(9).fill({ name: 'Purchased', type: 'CUSTOM' }) }), 'input.steps'],
      [withInput({ within: { value: 0, unit: 'DAY' } }), 'input.within.value'],
      [withInput({ within: { value: 367, unit: 'DAY' } }), 'input.within.value'],
    ],
  });
});

// query retention: its refusals.
describe('retention', () => {
  testRefusedQuestions(() => shared, {
    query: ['($input: RetentionInput!)', 'retention(input: $input) { asOf }'],
    right: (applicationId) => ({
      input: {
        applicationId,
        from: '2026-03-01',
        to: '2026-03-28',
        start: { firstSeen: true },
        returning: { any: true },
      },
    }),
    wrong: [
      [withInput({ to: '2026-02-28' }), 'input.to'],
      [withInput({ to: '2028-03-01' }), 'input.to'],
      [withInput({ from: '1969-12-31', to: '1969-12-31' }), 'input.from'],
      [withInput({ timeZone: 'Europe/Nowhere' }), 'input.timeZone'],
      [withInput({ periods: 54 }), 'input.periods'],
      // 731 cohorts of 53 periods.
      [withInput({ to: '2028-02-29', periods: 53 }), 'input'],
      [withInput({ start: { firstSeen: false } }), 'input.start.firstSeen'],
      [withInput({ returning: { any: false } }), 'input.returning.any'],
      [withInput({ start: { event: { name: '', type: 'CUSTOM' } } }), 'input.start.event.name'],
      [withInput({ start: {} }), 'input.start'],
      [withInput({ start: { firstSeen: true, event: { name: 'Purchased', type: 'CUSTOM' } } }), 'input.start'],
    ],
  });
});

// query revenue: its refusals.
describe('revenue', () => {
  testRefusedQuestions(() => shared, {
    query: ['($input: RevenueInput!)', 'revenue(input: $input) { asOf }'],
    right: (applicationId) => ({ input: { applicationId, from: '2026-03-01', to: '2026-03-28', currency: 'EUR' } }),
    wrong: [
      [withInput({ to: '2026-02-28' }), 'input.to'],
      [withInput({ to: '2028-03-01' }), 'input.to'],
      [withInput({ from: '1969-12-31', to: '1969-12-31' }), 'input.from'],
      [withInput({ timeZone: 'Europe/Nowhere' }), 'input.timeZone'],
      [withInput({ currency: 'eur' }), 'input.currency'],
    ],
  });
});

// query revenueCurrencies: its refusals.
describe('revenueCurrencies', () => {
  testRefusedQuestions(() => shared, {
    query: ['($applicationId: UUID!)', 'revenueCurrencies(applicationId: $applicationId)'],
    right: (applicationId) => ({ applicationId }),
    wrong: [],
  });
});

// query subscriptions: its refusals.
describe('subscriptions', () => {
  testRefusedQuestions(() => shared, {
    query: ['($applicationId: UUID!, $at: DateTime)', 'subscriptions(applicationId: $applicationId, at: $at) { asOf }'],
    right: (applicationId) => ({ applicationId }),
    wrong: [[withArguments({ at: '2099-01-01T00:00:00Z' }), 'at']],
  });
});

// query eventNames: its refusals.
describe('eventNames', () => {
  testRefusedQuestions(() => shared, {
    query: [
      '($applicationId: UUID!, $search: String, $timeZone: String, $limit: Int, $after: String)',
      'eventNames(applicationId: $applicationId, search: $search, timeZone: $timeZone, limit: $limit, after: $after) { asOf }',
    ],
    right: (applicationId) => ({ applicationId }),
    wrong: [
      [withArguments({ search: 'x'.repeat(257) }), 'search'],
      [withArguments({ timeZone: '+01:00' }), 'timeZone'],
      [withArguments({ limit: 0 }), 'limit'],
      [withArguments({ limit: 201 }), 'limit'],
      [withArguments({ after: 'no cursor' }), 'after'],
    ],
  });
});

// query propertyNames: its refusals.
describe('propertyNames', () => {
  testRefusedQuestions(() => shared, {
    query: [
      '($applicationId: UUID!, $search: String, $timeZone: String, $limit: Int, $after: String)',
      'propertyNames(applicationId: $applicationId, scope: USER, search: $search, timeZone: $timeZone, limit: $limit, after: $after) { asOf }',
    ],
    right: (applicationId) => ({ applicationId }),
    wrong: [
      [withArguments({ search: 'x'.repeat(257) }), 'search'],
      [withArguments({ timeZone: '+01:00' }), 'timeZone'],
      [withArguments({ limit: 0 }), 'limit'],
      [withArguments({ limit: 201 }), 'limit'],
      [withArguments({ after: 'no cursor' }), 'after'],
    ],
  });
});

// query recentEvents: its refusals.
describe('recentEvents', () => {
  testRefusedQuestions(() => shared, {
    query: [
      '($applicationId: UUID!, $filters: [PropertyFilterInput!], $timeZone: String, $limit: Int, $after: String)',
      'recentEvents(applicationId: $applicationId, filters: $filters, timeZone: $timeZone, limit: $limit, after: $after) { asOf }',
    ],
    right: (applicationId) => ({ applicationId }),
    wrong: [
      [withArguments({ filters: [{ property: '', scope: 'EVENT', op: 'EXISTS' }] }), 'filters[0].property'],
      [withArguments({ timeZone: '+01:00' }), 'timeZone'],
      [withArguments({ limit: 0 }), 'limit'],
      [withArguments({ limit: 201 }), 'limit'],
      [withArguments({ after: 'no cursor' }), 'after'],
    ],
  });
});

// query ingestIssues: its refusals.
describe('ingestIssues', () => {
  testRefusedQuestions(() => shared, {
    query: [
      '($applicationId: UUID!, $from: Date!, $to: Date!, $limit: Int, $after: String)',
      'ingestIssues(applicationId: $applicationId, from: $from, to: $to, limit: $limit, after: $after) { asOf }',
    ],
    right: (applicationId) => ({ applicationId, from: '2026-03-01', to: '2026-03-28' }),
    wrong: [
      [withArguments({ to: '2026-02-28' }), 'to'],
      [withArguments({ from: '2020-01-01' }), 'to'],
      [withArguments({ limit: 0 }), 'limit'],
      [withArguments({ limit: 201 }), 'limit'],
      [withArguments({ after: 'no cursor' }), 'after'],
    ],
  });
});

// query devices: its refusals.
describe('devices', () => {
  const version = { property: 'appVersion', scope: 'DEVICE' };

  testRefusedQuestions(() => shared, {
    query: [
      '($applicationId: UUID!, $userId: String, $filters: [PropertyFilterInput!], $search: String, $timeZone: String, $limit: Int, $after: String)',
      'devices(applicationId: $applicationId, userId: $userId, filters: $filters, search: $search, timeZone: $timeZone, limit: $limit, after: $after) { asOf }',
    ],
    right: (applicationId) => ({ applicationId }),
    wrong: [
      [withArguments({ userId: 'x'.repeat(257) }), 'userId'],
      [withArguments({ filters: [{ property: 'p', scope: 'EVENT', op: 'EXISTS' }] }), 'filters[0].scope'],
      [withArguments({ filters: [{ property: 'p', scope: 'DEVICE', op: 'EXISTS' }] }), 'filters[0].property'],
      [withArguments({ filters: [{ ...version, op: 'EQ', value: 'v2.14' }] }), 'filters[0].value'],
      [withArguments({ filters: [{ ...version, op: 'LT', value: '' }] }), 'filters[0].value'],
      [withArguments({ filters: [{ ...version, op: 'IN', value: ['2.14', '2.1000'] }] }), 'filters[0].value[1]'],
      [withArguments({ search: 'x'.repeat(257) }), 'search'],
      [withArguments({ timeZone: '+01:00' }), 'timeZone'],
      [withArguments({ limit: 0 }), 'limit'],
      [withArguments({ limit: 201 }), 'limit'],
      [withArguments({ after: 'no cursor' }), 'after'],
    ],
  });
});

// query devicesBehind: its refusals.
describe('devicesBehind', () => {
  interface Of {
    activity: object;
  }

  testRefusedQuestions(() => shared, {
    query: [
      '($of: DevicesBehindInput!, $point: DevicesBehindPointInput!, $limit: Int, $after: String)',
      'devicesBehind(of: $of, point: $point, limit: $limit, after: $after) { asOf }',
    ],
    right: (applicationId) => ({
      of: { activity: { applicationId, from: '2026-03-01', to: '2026-03-28' } },
      point: { activity: {} },
    }),
    wrong: [
      [withArguments({ point: { funnel: { step: 0 } } }), 'point'],
      [
        ({ of }) => ({
          of: { eventSeries: { ...(of as Of).activity, events: [{ name: 'Purchased', type: 'CUSTOM' }] } },
          point: { eventSeries: { series: 1 } },
        }),
        'point.eventSeries.series',
      ],
      [
        ({ of }) => ({
          of: { eventSeries: { ...(of as Of).activity, events: [{ name: 'Purchased', type: 'CUSTOM' }] } },
          point: { eventSeries: { series: 0, isOther: true } },
        }),
        'point.eventSeries.isOther',
      ],
      [
        ({ of }) => ({
          of: {
            funnel: {
              ...(of as Of).activity,
              steps: [
                { name: 'Purchased', type: 'CUSTOM' },
                { name: 'Purchased', type: 'CUSTOM' },
              ],
              within: { value: 1, unit: 'DAY' },
            },
          },
          point: { funnel: { step: 0, dropped: true } },
        }),
        'point.funnel.dropped',
      ],
      [
        ({ of }) => ({
          of: {
            funnel: {
              ...(of as Of).activity,
              steps: [
                { name: 'Purchased', type: 'CUSTOM' },
                { name: 'Purchased', type: 'CUSTOM' },
              ],
              within: { value: 1, unit: 'DAY' },
            },
          },
          point: { funnel: { step: 0, breakdownValue: {} } },
        }),
        'point.funnel.breakdownValue',
      ],
      [
        ({ of }) => ({
          of: { retention: { ...(of as Of).activity, start: { firstSeen: true }, returning: { any: true } } },
          point: { retention: { cohort: '2026-03-01T00:00:00Z', index: 12 } },
        }),
        'point.retention.index',
      ],
      [
        ({ of }) => ({ of: { activity: { ...(of as Of).activity, to: '2026-02-28' } }, point: { activity: {} } }),
        'of.activity.to',
      ],
      [withArguments({ limit: 0 }), 'limit'],
      [withArguments({ limit: 201 }), 'limit'],
      [withArguments({ after: 'no cursor' }), 'after'],
    ],
  });
});

// query userDevices: its refusals.
describe('userDevices', () => {
  testRefusedQuestions(() => shared, {
    query: [
      '($applicationId: UUID!, $userId: String!, $timeZone: String, $limit: Int, $after: String)',
      'userDevices(applicationId: $applicationId, userId: $userId, timeZone: $timeZone, limit: $limit, after: $after) { asOf }',
    ],
    right: (applicationId) => ({ applicationId, userId: 'u' }),
    wrong: [
      [withArguments({ userId: '' }), 'userId'],
      [withArguments({ timeZone: '+01:00' }), 'timeZone'],
      [withArguments({ limit: 0 }), 'limit'],
      [withArguments({ limit: 201 }), 'limit'],
      [withArguments({ after: 'no cursor' }), 'after'],
    ],
  });
});

// Without analytics (ANALYTICS=off) each read of them says so, and the rest of the service goes on.
describe('analyticsOff', () => {
  /** The refused uploads are counted in PostgreSQL itself. */
  const { ingestIssues, ...asked } = analyticsQueries;

  let service: TestService;
  let viewer: TestUser;
  beforeAll(async () => {
    service = await startTestService({ change: (deps) => ({ ...deps, analytics: offEngine }) });
    viewer = await newUser(service, await organizationOf(service, service.application.id), 'viewer');
  });
  afterAll(() => service.stop());

  test.each(Object.entries(asked))(
    '%s is ANALYTICS_UNAVAILABLE, and the rest of the response is there',
    async (_, query) => {
      const { data, errors } = await viewer.ask(`{ read: ${query(service.application.id)} organization { id } }`);
      expect(errors.map(({ extensions }) => extensions)).toEqual([{ code: 'ANALYTICS_UNAVAILABLE', reason: 'off' }]);
      expect(data).toEqual({ read: null, organization: { id: expect.any(String) as string } });
    },
  );

  test('ingestIssues needs none', async () => {
    const { data, errors } = await viewer.ask(`{ ${ingestIssues(service.application.id)} }`);
    expect([errors, Object.keys(data!)]).toEqual([[], ['ingestIssues']]);
  });
});
