// A hundred thousand SDKs come back after an outage, in simulated time: docs/decisions/retry-after.md has the table that this prints.
import { jest } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { projectFile } from '../../src/platform/projectRoot.ts';
import { simulateOutage, type AfterReturn, type Outage } from '../support/fleet/simulateOutage.ts';

/** Some seconds each on quiet cores: the last fleet sends 14 million requests. */
jest.setTimeout(240_000);

const devices = 100_000;
/** Half more than the fleet's usual 1,667 uploads a second. The costs are those of uploads of ten events. */
const service = { perSecond: 2_500, queueUploads: 200, refusalCost: 0.2, leastForUploads: 0.2 };

const rows: [string, string, AfterReturn][] = [];
function simulated(fleet: Outage['fleet'], awayMinutes: number, away: Outage['away'] = 'database'): AfterReturn {
  const found = simulateOutage({ fleet, devices, service, awayMinutes, away });
  rows.push([fleets[fleet], `${awayMinutes} min, ${away === 'processes' ? 'no response' : '503'}`, found]);
  return found;
}

const fleets = {
  keeps: 'keeps `Retry-After`: the reference SDK',
  ignores: 'ignores it, and doubles its own wait',
  hammers: 'ignores it, and tries again each second',
};

test.each([
  [1, 'database'],
  [10, 'database'],
  [10, 'processes'],
] as const)('a fleet that keeps Retry-After is no second flood after %i minutes without %s', (minutes, away) => {
  const { peakPerSecond, refused, secondsAll } = simulated('keeps', minutes, away);
  expect(peakPerSecond).toBeLessThan(service.perSecond);
  expect(refused).toBe(0);
  expect(secondsAll).toBeLessThan(600);
});

test('a fleet that only doubles its own wait floods the service after a short outage', () => {
  expect(simulated('ignores', 1).refused).toBeGreaterThan(10_000);
  expect(simulated('ignores', 10).peakPerSecond).toBeLessThan(service.perSecond);
});

test('a fleet that tries again each second keeps the service down after its return', () => {
  const { refused, refusedAtTheEnd } = simulated('hammers', 10);
  expect(refused).toBeGreaterThan(30 * devices);
  expect(refusedAtTheEnd).toBeGreaterThan(devices);
});

test('the page shows these figures', () => {
  const whole = (figure: number | null): string =>
    figure === null ? 'never' : Math.round(figure).toLocaleString('en-US');
  const lines = rows.map(([fleet, outage, { peakPerSecond, refused, refusedAtTheEnd, seconds99, secondsAll }]) => {
    const figures = [peakPerSecond, refused, refusedAtTheEnd, seconds99, secondsAll].map(whole);
    return `| ${[fleet, outage, ...figures].join(' | ')} |`;
  });
  process.stdout.write(`${lines.join('\n')}\n`);
  const page = readFileSync(projectFile('docs/decisions/retry-after.md'), 'utf8');
  for (const line of lines) expect(page).toContain(line);
});
