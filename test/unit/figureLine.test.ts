// The line of a breakdown that `devicesBehind` opens: null and absent mean the same in every report.
import { readFigure } from '../../src/analytics/figureInput.ts';
import { inputRules } from '../../src/platform/inputRules.ts';

const about = { applicationId: '00000000-0000-4000-8000-000000000000', from: '2026-03-01', to: '2026-03-02' };
const event = { name: 'A', type: 'CUSTOM' as const };
const breakdown = { scope: 'EVENT' as const, property: 'p' };

function linesOf(given: { breakdownValue?: unknown; isOther?: boolean }) {
  const series = readFigure(inputRules(), {
    of: { eventSeries: { ...about, events: [event], breakdown } },
    point: { eventSeries: { series: 0, ...given } },
  });
  const funnel = readFigure(inputRules(), {
    of: { funnel: { ...about, steps: [event, event], within: { value: 1, unit: 'DAY' }, breakdown } },
    point: { funnel: { step: 0, ...given } },
  });
  return [series, funnel].map((figure) => (figure as { line: unknown }).line);
}

test.each([
  [{}, null],
  [{ breakdownValue: null }, { value: null, isOther: false }],
  [{ breakdownValue: 'DE' }, { value: 'DE', isOther: false }],
  [{ isOther: true }, { value: null, isOther: true }],
])('%j', (given, line) => {
  expect(linesOf(given)).toEqual([line, line]);
});
