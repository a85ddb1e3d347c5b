// query retention: its refusals.
import { testRefusedQuestions, withInput } from '../support/refusedQuestions.ts';

testRefusedQuestions({
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
