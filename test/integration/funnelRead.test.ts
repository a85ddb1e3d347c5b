// `funnel` three ways: each engine and the reference give the same figures for whatever was drawn.
import type { FunnelQuestion } from '../../src/analytics/questions.ts';
import { readFunnel } from '../../src/analytics/reads/funnelRead.ts';
import { funnelQuestions } from '../support/analytics/drawnQuestions.ts';
import { funnelOf } from '../support/analytics/funnelReference.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

testThreeWays<FunnelQuestion, unknown>('funnel', {
  question: funnelQuestions,
  reference: funnelOf,
  async read(engine, question) {
    const { asOf, ...found } = await readFunnel(engine, question);
    expect(asOf).toBeInstanceOf(Date);
    return found;
  },
});
