// Figures three ways: each engine and the reference give the same for whatever was drawn.
import type {
  ActivityQuestion,
  EventSeriesQuestion,
  FunnelQuestion,
  RetentionQuestion,
} from '../../src/analytics/questions.ts';
import { readActivity } from '../../src/analytics/activity.ts';
import { readEventSeries } from '../../src/analytics/eventSeries.ts';
import { readFunnel } from '../../src/analytics/funnel.ts';
import { readRetention } from '../../src/analytics/retention.ts';
import { activityOf } from '../support/analytics/activityReference.ts';
import {
  activityQuestions,
  eventSeriesQuestions,
  funnelQuestions,
  retentionQuestions,
} from '../support/analytics/drawnQuestions.ts';
import { eventSeriesOf } from '../support/analytics/eventSeriesReference.ts';
import { funnelOf } from '../support/analytics/funnelReference.ts';
import { retentionOf } from '../support/analytics/retentionReference.ts';
import { testThreeWays } from '../support/analytics/threeWays.ts';

// `activity` three ways: each engine and the reference give the same figures for whatever was drawn.
describe('activityRead', () => {
  testThreeWays<ActivityQuestion, unknown>('activity', {
    question: activityQuestions,
    reference: activityOf,
    async read(engine, question, { now }) {
      const { asOf, ...found } = await readActivity(engine, question, new Date(now / 1_000));
      expect(asOf).toBeInstanceOf(Date);
      return found;
    },
  });
});

// `eventSeries` three ways: each engine and the reference give the same figures for whatever was drawn.
describe('eventSeriesRead', () => {
  testThreeWays<EventSeriesQuestion, unknown>('eventSeries', {
    question: eventSeriesQuestions,
    reference: eventSeriesOf,
    async read(engine, question, { now }) {
      const { asOf, ...found } = await readEventSeries(engine, question, new Date(now / 1_000));
      expect(asOf).toBeInstanceOf(Date);
      return found;
    },
  });
});

// `funnel` three ways: each engine and the reference give the same figures for whatever was drawn.
describe('funnelRead', () => {
  testThreeWays<FunnelQuestion, unknown>('funnel', {
    question: funnelQuestions,
    reference: funnelOf,
    async read(engine, question) {
      const { asOf, ...found } = await readFunnel(engine, question);
      expect(asOf).toBeInstanceOf(Date);
      return found;
    },
  });
});

// `retention` three ways: each engine and the reference give the same figures for whatever was drawn.
describe('retentionRead', () => {
  testThreeWays<RetentionQuestion, unknown>('retention', {
    question: retentionQuestions,
    reference: retentionOf,
    async read(engine, question, { now }) {
      const { asOf, ...found } = await readRetention(engine, question, new Date(now / 1_000));
      expect(asOf).toBeInstanceOf(Date);
      return found;
    },
  });
});
