// query devices: its refusals.
import { testRefusedQuestions, withArguments } from '../support/refusedQuestions.ts';

const version = { property: 'appVersion', scope: 'DEVICE' };

testRefusedQuestions({
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
