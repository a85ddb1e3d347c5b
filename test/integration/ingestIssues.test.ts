// query ingestIssues: its refusals.
import { testRefusedQuestions, withArguments } from '../support/refusedQuestions.ts';

testRefusedQuestions({
  query: [
    '($applicationId: UUID!, $from: Date!, $to: Date!, $limit: Int, $after: String)',
    'ingestIssues(applicationId: $applicationId, from: $from, to: $to, limit: $limit, after: $after) { asOf }',
  ],
  right: (applicationId) => ({ applicationId, from: '2026-03-01', to: '2026-03-28' }),
  wrong: [
    [withArguments({ to: '2026-02-28' }), 'to'],
    [withArguments({ from: '2020-01-01' }), 'to'],
    [withArguments({ limit: 0 }), 'limit'],
    [withArguments({ limit: 201 }), 'limit'],
    [withArguments({ after: 'no cursor' }), 'after'],
  ],
});
