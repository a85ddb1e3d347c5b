// query propertyNames: its refusals.
import { testRefusedQuestions, withArguments } from '../support/refusedQuestions.ts';

testRefusedQuestions({
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
