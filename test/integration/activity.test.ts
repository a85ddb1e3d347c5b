// query activity: its refusals.
import { testRefusedQuestions, withInput } from '../support/refusedQuestions.ts';

testRefusedQuestions({
  query: ['($input: ActivityInput!)', 'activity(input: $input) { asOf }'],
  right: (applicationId) => ({ input: { applicationId, from: '2026-03-01', to: '2026-03-28' } }),
  wrong: [
    [withInput({ to: '2026-02-28' }), 'input.to'],
    [withInput({ to: '2028-03-01' }), 'input.to'],
    [withInput({ from: '1969-12-31', to: '1969-12-31' }), 'input.from'],
    [withInput({ timeZone: 'Europe/Nowhere' }), 'input.timeZone'],
  ],
});
