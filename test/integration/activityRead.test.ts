// `activity` three ways: each engine and the reference give the same figures for whatever was drawn.
import type { ActivityQuestion } from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/reads/activityRead.ts';
import { activityOf } from '../support/analytics/activityReference.ts';
import { activityQuestions } from '../support/analytics/drawnQuestions.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

testThreeWays<ActivityQuestion, unknown>('activity', {
  question: activityQuestions,
  reference: activityOf,
  async read(engine, question, { now }) {
    const { asOf, ...found } = await readActivity(engine, question, new Date(now / 1_000));
    expect(asOf).toBeInstanceOf(Date);
    return found;
  },
});
