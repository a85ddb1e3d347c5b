// query revenueCurrencies: its refusals.
import { testRefusedQuestions } from '../support/refusedQuestions.ts';

testRefusedQuestions({
  query: ['($applicationId: UUID!)', 'revenueCurrencies(applicationId: $applicationId)'],
  right: (applicationId) => ({ applicationId }),
  wrong: [],
});
