// query devicesBehind: its refusals.
import { testRefusedQuestions, withArguments } from '../support/refusedQuestions.ts';

interface Of {
  activity: object;
}

testRefusedQuestions({
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
