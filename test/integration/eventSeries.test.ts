// query eventSeries: its refusals.
import { testRefusedQuestions, withInput } from '../support/refusedQuestions.ts';

testRefusedQuestions({
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
