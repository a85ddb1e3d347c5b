// query subscriptions: its refusals.
import { testRefusedQuestions, withArguments } from '../support/refusedQuestions.ts';

testRefusedQuestions({
  query: ['($applicationId: UUID!, $at: DateTime)', 'subscriptions(applicationId: $applicationId, at: $at) { asOf }'],
  right: (applicationId) => ({ applicationId }),
  wrong: [[withArguments({ at: '2099-01-01T00:00:00Z' }), 'at']],
});
