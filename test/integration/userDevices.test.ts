// query userDevices: its refusals.
import { testRefusedQuestions, withArguments } from '../support/refusedQuestions.ts';

testRefusedQuestions({
  query: [
    '($applicationId: UUID!, $userId: String!, $timeZone: String, $limit: Int, $after: String)',
    'userDevices(applicationId: $applicationId, userId: $userId, timeZone: $timeZone, limit: $limit, after: $after) { asOf }',
  ],
  right: (applicationId) => ({ applicationId, userId: 'u' }),
  wrong: [
    [withArguments({ userId: '' }), 'userId'],
    [withArguments({ timeZone: '+01:00' }), 'timeZone'],
    [withArguments({ limit: 0 }), 'limit'],
    [withArguments({ limit: 201 }), 'limit'],
    [withArguments({ after: 'no cursor' }), 'after'],
  ],
});
