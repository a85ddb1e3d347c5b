// query funnel: its refusals.
import { testRefusedQuestions, withInput } from '../support/refusedQuestions.ts';

testRefusedQuestions({
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
