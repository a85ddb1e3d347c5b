// query recentEvents: its refusals.
import { testRefusedQuestions, withArguments } from '../support/refusedQuestions.ts';

testRefusedQuestions({
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
