// The questions of one read: they end with the client's request, and together after the time of one read.
import { jest } from '@jest/globals';
import { askEngine } from '../../src/analytics/askEngine.ts';
import { AnalyticsUnavailable, QuestionTooLarge, type AnalyticsEngine } from '../../src/analytics/engine/engine.ts';
import { offEngine } from '../../src/analytics/engine/offEngine.ts';
import { question } from '../../src/analytics/engine/question.ts';
import { createAnswerBudget } from '../../src/platform/answerBudget.ts';

const endings: unknown[] = [];
const endless: AnalyticsEngine = {
  ...offEngine,
  ask: (_, signal) =>
    new Promise((_resolve, reject) => {
      const end = (): void => {
        endings.push(signal!.reason);
        reject(signal!.reason as Error);
      };
      if (signal!.aborted) end();
      signal!.addEventListener('abort', end);
    }),
};
beforeEach(() => endings.splice(0));

const asking = (signal: AbortSignal) =>
  askEngine({
    needs: { budget: createAnswerBudget(), analytics: endless, signal },
    path: 'applicationId',
    read: (engine) => engine.ask(question('endless')`SELECT 1`),
    rowsOf: () => 0,
  });

test('a question ends when its client has gone', async () => {
  const request = new AbortController();
  const asked = asking(request.signal);
  request.abort();
  await expect(asked).rejects.toMatchObject({ code: 'analytics_unavailable' });
  await expect(asking(request.signal)).rejects.toMatchObject({ code: 'analytics_unavailable' });
  expect(endings).toEqual([expect.any(AnalyticsUnavailable), expect.any(AnalyticsUnavailable)]);
});

test('several questions of one read have the time of one', async () => {
  jest.useFakeTimers();
  const asked = asking(new AbortController().signal).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(14_999);
  expect(endings).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(await asked).toMatchObject({ code: 'validation_failed', details: { fields: [{ path: 'applicationId' }] } });
  expect(endings).toEqual([expect.any(QuestionTooLarge)]);
  jest.useRealTimers();
});
