// Refused requests of many applications, while the database is away, stay within the lines that a process keeps.
import { createIssueCounts, mostLinesOfAll, type CountedIssue } from '../../src/analytics/issues/issueCounts.ts';

test('lines beyond the bound are dropped, with one warning', async () => {
  const saved: CountedIssue[] = [];
  const warn: unknown[] = [];
  const counts = createIssueCounts({
    save: (issues) => Promise.resolve(void saved.push(...issues)),
    log: { warn: (...said: unknown[]) => void warn.push(said) } as never,
    everyMillis: 1_000_000,
  });
  const fault = { status: 422, reason: 'invalid', path: 'p', message: 'm' };
  for (let n = 0; n < mostLinesOfAll + 50; n += 1) {
    const request = { operation: 'o', sdkVersion: null, appVersion: null, at: new Date(0), faults: [fault] };
    counts.note({ applicationId: `a${n}`, ...request });
  }
  await counts.stop();
  expect([saved.length, warn.length]).toEqual([mostLinesOfAll, 1]);
});
