// `retention` three ways: each engine and the reference give the same figures for whatever was drawn.
import type { RetentionQuestion } from '../../src/analytics/questions.ts';
import { readRetention } from '../../src/analytics/reads/retentionRead.ts';
import { retentionQuestions } from '../support/analytics/drawnQuestions.ts';
import { retentionOf } from '../support/analytics/retentionReference.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

testThreeWays<RetentionQuestion, unknown>('retention', {
  question: retentionQuestions,
  reference: retentionOf,
  async read(engine, question, { now }) {
    const { asOf, ...found } = await readRetention(engine, question, new Date(now / 1_000));
    expect(asOf).toBeInstanceOf(Date);
    return found;
  },
});
